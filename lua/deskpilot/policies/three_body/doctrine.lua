--- The Strategist's answer: the plan of the mission (the doctrine) and the success criteria. It is asked for as a tool
--- call, whose arguments are read as far as they can be; an answer in prose is the doctrine as it stands, with the
--- criteria that follow a heading of that name.
local criteria = require "deskpilot.agent.criteria"
local fields = require "deskpilot.agent.fields"
local decode = require "deskpilot.model.decode"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local doctrine = {}

-- The sections, in the order in which they are asked for and shown to the Tactician.
local sections = {
  { "mission", "MISSION RESTATED", "What is true on this computer when it is done, in one or two sentences." },
  { "reconnaissance", "RECONNAISSANCE", "Which application, window and controls are needed, and which of them are "
    .. "there already." },
  { "phases", "PHASES", "1 to 7 in their order, one line each: NAME: its goal; what shows that it is over; what to do "
    .. "if it goes differently.", list = true },
  { "verification", "VERIFICATION", "Where to look at the end to see that the result is really there." },
  { "success_criteria", nil, "1 to 5 sentences, each to be checked by looking at the screen at the end.", list = true },
  { "risks", "RISKS", "One line each: what can go wrong, and what to do about it.", list = true },
  { "directives", "DIRECTIVES", "To the Tactician, at most 100 words: when to change the phase, and which tools each "
    .. "phase needs." },
}

local function definition()
  local properties, required = {}, {}
  for i, section in ipairs(sections) do
    properties[section[1]] = section.list
      and { type = "array", items = { type = "string" }, description = section[3] }
      or { type = "string", description = section[3] }
    required[i] = section[1]
  end
  return fields.object(properties, required)
end

local restated = "MISSION RESTATED\n"

--- The doctrine as the Executor is told it: without the mission restated, since it has the mission itself.
---@param words string
---@return string
function doctrine.for_executor(words)
  if words:sub(1, #restated) ~= restated then return words end
  local _, last = words:find("\n\n", 1, true)
  return last and words:sub(last + 1) or words
end

--- The one tool that the Strategist is given.
doctrine.tool = { name = "write_doctrine", description = "Write the plan of the mission.", parameters = definition() }

-- What a model has put into a section, as lines: texts, lists of texts, objects of either.
local function lines_of(value)
  if type(value) == "string" then return { value } end
  if type(value) ~= "table" then return value ~= nil and value ~= json.null and { tostring(value) } or {} end
  local lines = {}
  if #value > 0 then
    for i, item in ipairs(value) do lines[i] = table.concat(lines_of(item), "; ") end
  else
    for i, key in ipairs(text.keys(value)) do
      lines[i] = ("%s: %s"):format(key, table.concat(lines_of(value[key]), "; "))
    end
  end
  return lines
end

-- A model may put the whole list into one text.
local function criteria_of(value)
  local lines = {}
  for _, entry in ipairs(lines_of(value)) do
    for line in entry:gmatch("[^\n]+") do lines[#lines + 1] = (text.list_item(line)) end
  end
  return criteria.clean(lines)
end

local function from_call(args)
  local parts = {}
  for _, section in ipairs(sections) do
    local lines = section[2] and lines_of(args[section[1]]) or {}
    for i, line in ipairs(lines) do lines[i] = (section.list and "- " or "") .. line end
    if #lines > 0 then parts[#parts + 1] = section[2] .. "\n" .. table.concat(lines, "\n") end
  end
  return table.concat(parts, "\n\n"), criteria_of(args.success_criteria)
end

-- The words of a line that is a heading, without its marks: "## 5. RISKS", "**Success criteria:** one; two".
local function heading_of(line)
  local bare = line:gsub("^%s*#+%s*", ""):gsub("^%s*%*+", ""):gsub("^%s*%d+[.)]%s*", ""):gsub("^%s*%*+", "")
  local title = bare:match("^%a[%a%s'&/-]*")
  if not title then return nil end
  local rest = bare:match("^%**%s*:%**%s*(.*)$", #title + 1) or bare:match("^%**%s*$", #title + 1) and ""
  if not rest then return nil end
  local marked = line:find("^%s*#") or line:find("^%s*%*%*") or title == title:upper()
  return text.one_line(title):lower(), text.one_line(rest), marked ~= nil and marked ~= false
end

--- The success criteria in prose: what follows a heading that speaks of them, until the next heading. Where some of
--- these lines are items of a list, the others are remarks.
---@param prose string
---@return string[]
function doctrine.criteria_in(prose)
  local items, lines, inside = {}, {}, false
  for line in text.lines(prose) do
    local title, rest, marked = heading_of(line)
    if title and (title:find("success criteri", 1, true) or title:find("criteria for success", 1, true)) then
      inside = true
      for part in rest:gmatch("[^;]+") do lines[#lines + 1] = (text.list_item(part)) end
    elseif inside and title and marked and rest == "" then
      break
    elseif inside then
      local item, is_item = text.list_item(line)
      lines[#lines + 1] = item
      if is_item then items[#items + 1] = item end
    end
  end
  return criteria.clean(#items > 0 and items or lines)
end

--- Reads the Strategist's answer.
---@param reply deskpilot.reply
---@return { text: string, criteria: string[] }? doctrine
---@return string? why a sentence for the Strategist, where it has said nothing that can be used
function doctrine.read(reply)
  local why
  for _, call in ipairs(reply.calls or {}) do
    local words, list = "", {}
    if call.args then words, list = from_call(call.args) end
    if words ~= "" or #list > 0 then return { text = words, criteria = list } end
    why = why or tostring(call.error or call.name .. " was called with nothing in it")
  end
  local prose = decode.reply(reply).text
  if #(reply.calls or {}) == 0 and prose:find("%S") then
    return { text = prose, criteria = doctrine.criteria_in(prose) }
  end
  return nil, why or reply.calls_error and tostring(reply.calls_error) or "there is neither a call nor a word in it"
end

return doctrine
