--- Items that one persona gathers on the screen for another that does not see it: a question, what is needed to answer
--- it, and how the answer is found. Each item is a named value of the run's memory, so that it is journaled, recalled
--- and resumed like any other.
local text = require "deskpilot.base.text"

local notebook = {}

---@class deskpilot.notebook_item
---@field name string the value's name in the memory
---@field question string "" where it is not known
---@field data string
---@field guidance string

local fields = { "question", "data", "guidance" }

-- The data come last: they may have several lines, and a line of theirs may look like a field.
local function written(item)
  return ("QUESTION: %s\nGUIDANCE: %s\nDATA: %s"):format(text.one_line(item.question), text.one_line(item.guidance),
    text.trim(item.data))
end

--- The item of that name; nil where there is none, or where the value is something else.
---@param memory deskpilot.memory
---@param name string
---@return deskpilot.notebook_item?
function notebook.read(memory, name)
  local question, guidance, data = (memory:get(name) or ""):match "^QUESTION: ([^\n]*)\nGUIDANCE: ([^\n]*)\nDATA: (.*)$"
  return question and { name = name, question = question, data = data, guidance = guidance } or nil
end

--- Keeps an item. What is given completes one of the same name: a question may stand on one page and its data on the
--- next.
---@param memory deskpilot.memory
---@param name string
---@param parts { question: string?, data: string?, guidance: string? }
---@return boolean? ok, deskpilot.error? err
function notebook.write(memory, name, parts)
  local item = notebook.read(memory, name) or { question = "", data = "", guidance = "" }
  for _, field in ipairs(fields) do
    if type(parts[field]) == "string" then item[field] = parts[field] end
  end
  return memory:set(name, written(item))
end

--- Which of question, data and guidance an item lacks.
---@param item deskpilot.notebook_item
---@return string[]
function notebook.lacks(item)
  local list = {}
  for _, field in ipairs(fields) do
    if not item[field]:find "%S" then list[#list + 1] = field end
  end
  return list
end

return notebook
