--- The page of docs/api about the tools that models may call, made of their own definitions.
local config_reference = require "deskpilot.cli.config_reference"
local parameters = require "deskpilot.agent.parameters"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local toolbox = require "deskpilot.agent.toolbox"

local tool_reference = {}

local introduction = [[
# Tools

<!-- Made by `./dev docs` from the definitions of the tools: change those. -->

What a model may call, and a script by `m:act { tool = "press_key", args = { key = "enter" }, why = "..." }`. Parameters
are in the order in which models are sent them. In front of those below, every tool that acts has `justification`
(string): %s

How to write a tool: [CONTRIBUTING.md](../CONTRIBUTING.md#recipe-a-tool-that-a-model-may-call).]]

local function range(least, most)
  if least and most then return least == most and ("%g"):format(least) or ("%g to %g"):format(least, most) end
  return least and ("%g or more"):format(least) or most and ("at most %g"):format(most)
end

local limits = {
  string = function(d) return range(d.minLength, d.maxLength), " characters" end,
  array = function(d) return range(d.minItems, d.maxItems), " items" end,
  number = function(d) return range(d.minimum, d.maximum), "" end,
}
limits.integer = limits.number

-- "string, 1 to 200 characters"; "`down` or `up`"
local function kind_of(definition)
  if definition.enum then
    local values = {}
    for i, value in ipairs(definition.enum) do values[i] = ("`%s`"):format(tostring(value)) end
    return table.concat(values, " or ")
  end
  local kind = type(definition.type) == "table" and table.concat(definition.type, " or ") or definition.type or "any"
  local limit, unit = nil, nil
  if limits[kind] then limit, unit = limits[kind](definition) end
  local inner = kind == "array" and definition.items and (" of %s"):format(kind_of(definition.items)) or ""
  return kind .. inner .. (limit and ", " .. limit .. unit or "")
end

--- What a tool's parameters are, in the order in which models are sent them.
---@param tool deskpilot.tool
---@return { name: string, kind: string, required: boolean, about: string }[]
function tool_reference.parameters(tool)
  local required, rows = {}, {}
  for _, name in ipairs(tool.parameters.required or {}) do required[name] = true end
  for i, name in ipairs(schema.names(tool.parameters)) do
    local definition = tool.parameters.properties[name]
    rows[i] = { name = name, kind = kind_of(definition), required = required[name] or false,
      about = definition.description or "" }
  end
  return rows
end

local function tool_text(tool)
  local lines = {}
  for _, row in ipairs(tool_reference.parameters(tool)) do
    if row.name ~= "justification" then -- the page says at its beginning what it is
      lines[#lines + 1] = ("- `%s` (%s%s): %s"):format(row.name, row.kind, row.required and "" or "; may be left out",
        row.about)
    end
  end
  local looks = tool.acts == false and " It does not act." or ""
  local words = ("### %s\n\n%s%s Group: `%s`."):format(tool.name, text.one_line(tool.description), looks, tool.group)
  return #lines > 0 and words .. "\n\n" .. table.concat(lines, "\n") or words
end

--- The tools that ship, by their names.
---@return deskpilot.tool[]
function tool_reference.tools()
  local settings, list, names = config_reference.shipped(), {}, {}
  local loaded = assert(settings:load_all "tools")
  local box = assert(toolbox.new(loaded, assert(settings:resolve { environment = {} })))
  for i, entry in ipairs(loaded) do names[i] = entry.name end
  for i, name in ipairs(names) do list[i] = box:get(name) end
  return list
end

--- The page.
---@return string
function tool_reference.text()
  local parts = { introduction:format(parameters.justification.description) }
  for _, tool in ipairs(tool_reference.tools()) do parts[#parts + 1] = tool_text(tool) end
  return table.concat(parts, "\n\n") .. "\n"
end

return tool_reference
