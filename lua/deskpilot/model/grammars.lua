--- The grammars in which models write calls as text: model/grammars/NAME.lua is one. The first one that finds a call,
--- or one that it cannot read, decides; the one that the model's profile names is tried before the others.
local grammars = {}

---@class deskpilot.model.grammar
---@field name string that of its file
---@field take fun(source: string, found: deskpilot.model.found, named: boolean): string adds the calls of a text and
---  returns what is left of it: in linear time, whatever the text. named: the model's profile names this grammar
---@field style "json"|"call"|"tags"|"place"|nil how a call is written in it, for tools that are described as text
---@field teach string? how to answer in it; %s stands for a call

-- Those that announce a call come first, then those that are the whole answer.
local order = { "tool_call", "seed", "mistral", "glm", "ui_tars", "autoglm", "fence", "pyautogui", "json", "points",
  "calls" }

--- The names of all grammars, in the order in which they are tried.
---@return string[]
function grammars.names() return { table.unpack(order) } end

--- The grammar of that name.
---@param name any
---@return deskpilot.model.grammar?
function grammars.of(name)
  for _, known in ipairs(order) do
    if known == name then return require("deskpilot.model.grammars." .. known) end
  end
end

--- Finds the calls of a text.
---@param source string
---@param found deskpilot.model.found
---@param first string? the grammar that the model's profile names
---@return string rest what is left of the text
---@return string? name of the grammar that has decided
function grammars.take(source, found, first)
  local own = grammars.of(first)
  if own then
    local rest = own.take(source, found, true)
    if #found.calls > 0 then return rest, own.name end
  end
  for _, name in ipairs(order) do
    if name ~= first then
      local rest = grammars.of(name).take(source, found, false)
      if #found.calls > 0 then return rest, name end
    end
  end
  return source, nil
end

return grammars
