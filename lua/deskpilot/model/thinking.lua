--- The thinking of a model: in front of its answer between tags, or in a field of its own, of which there are several.
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"

local thinking = {}

local tags = { "think", "thinking", "thought", "gui_think" }

-- Before the end of thinking that has lost its beginning there is no call: such an end is a part of a typed text.
local calls = { "<tool_call>", "<seed:tool_call>", "[TOOL_CALLS]", "<function=", "<|begin_of_box|>" }

local function has_call(source, before)
  for _, mark in ipairs(calls) do
    local at = source:find(mark, 1, true)
    if at and at < before then return true end
  end
  return false
end

--- Separates the thinking from the answer. It comes first, between tags; chat templates often remove the opening one.
---@param source string
---@return string said the answer
---@return string? thought
function thinking.split(source)
  local tag, from = source:match("^%s*<([%a_]+)>()")
  for _, known in ipairs(tags) do
    if tag == known then
      local first, last = source:find("</" .. known .. ">", from, true)
      if first then return source:sub(last + 1), source:sub(from, first - 1) end
      return "", source:sub(from) -- it was cut off before the closing tag
    end
  end
  for _, known in ipairs(tags) do
    local first, last = source:find("</" .. known .. ">", 1, true)
    if first and not has_call(source, first) then return source:sub(last + 1), source:sub(1, first - 1) end
  end
  return source, nil
end

--- The fields of a message, or of a part of a streamed one, in which servers send it.
thinking.fields = { "reasoning_content", "reasoning", "thinking", "thought" }

local function detail_text(list)
  local parts = {}
  for _, part in ipairs(type(list) == "table" and list or {}) do
    local words = type(part) == "table" and (part.text or part.summary or part.thinking)
    if type(words) == "string" then parts[#parts + 1] = words end
  end
  return #parts > 0 and table.concat(parts, "\n") or nil
end

--- The thinking that a message of Chat Completions has in a field; nil where it has none. Of a long one the end is
--- kept.
---@param message table
---@return string?
function thinking.of(message)
  local found
  for _, name in ipairs(thinking.fields) do
    local value = message[name]
    if type(value) == "table" then value = value.content or value.text or detail_text(value) end
    if type(value) == "string" and value:find("%S") then
      found = value
      break
    end
  end
  found = found or detail_text(message.reasoning_details)
  if not found then return nil end
  if #found > limits.most.content then found = found:sub(-limits.most.content) end
  return text.trim(found)
end

return thinking
