--- Decodes a reply into tool calls with their arguments as tables. Models and servers write a call either in the API's
--- own field, or as text in one of several formats. Malformed JSON is repaired only if there is a single way to read
--- it; otherwise the call gets an error sentence, which the model is sent. Everything here is data and is never run.
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"

local decode = {}

---@class deskpilot.model.call
---@field id string
---@field name string
---@field args table? nil when error is set
---@field error string? a sentence for the model
---@field raw string? the text that was received, when error is set

---@class deskpilot.model.answer
---@field text string the answer without thinking and calls
---@field thinking string? the text in <think>...</think>
---@field calls deskpilot.model.call[]

--- Repairing JSON ----------------------------------------------------------------------------------

local python = { True = "true", False = "false", None = "null" }
local closers = { ["{"] = "}", ["["] = "]" }

-- The end of the string literal that begins at `at`; nil if it is not closed.
local function string_end(source, at)
  local from = at + 1
  while true do
    local stop = source:find('["\\]', from)
    if not stop then return nil end
    if source:byte(stop) == 34 then return stop end
    from = stop + 2 -- an escaped character does not end the string
  end
end

-- Repairs mistakes that have only one reading: a comma before a closing bracket, Python's True, False and None, and
--- missing closing brackets at the very end. Nil if the text has other mistakes.
---@param source string
---@return string?
local function repair(source)
  if #source > limits.most.arguments then return nil end -- no genuine call is longer
  local out, open, at, kept = {}, {}, 1, 1
  local function replace(first, last, by)
    out[#out + 1] = source:sub(kept, first - 1) .. by
    kept = last + 1
  end
  while true do
    at = source:find('[%a"{}%[%],]', at)
    if not at then break end
    local c, stop = source:sub(at, at), at
    if c == '"' then
      stop = string_end(source, at)
      if not stop then return nil end
    elseif closers[c] then
      if #open == limits.most.depth then return nil end
      table.insert(open, closers[c])
    elseif c == "}" or c == "]" then
      if table.remove(open) ~= c then return nil end
    elseif c == "," then
      if source:find("^%s*[}%]]", at + 1) then replace(at, at, "") end
    else
      stop = select(2, source:find("^%w+", at))
      local word = python[source:sub(at, stop)]
      if word then replace(at, stop, word) end
    end
    at = stop + 1
  end
  local repaired = table.concat(out) .. source:sub(kept)
  -- A value is missing, not a bracket?
  if #open > 0 and text.without_end(repaired, "%s"):find("[,:]$") then return nil end
  return repaired .. table.concat(open):reverse()
end

local function without_fence(source)
  return text.trim(source):match("^```%w*[ \t]*\r?\n(.*)```$") or source
end

-- Converts whole numbers to integers. Nil and a reason for values that JSON cannot hold.
local function tidy(value)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return nil, "a number is not finite" end
    return math.tointeger(value) or value
  end
  if type(value) ~= "table" then return value end
  for key, item in pairs(value) do
    local tidied, why = tidy(item)
    if tidied == nil and why then return nil, why end
    value[key] = tidied
  end
  return value
end

--- Decodes JSON that may be slightly malformed.
---@param source string
---@return any value, string? why nil and a reason
function decode.json(source)
  local value, why = limits.decode(source)
  if value == nil then
    local repaired = repair(without_fence(source))
    local again = repaired and limits.decode(repaired)
    if again == nil then return nil, why or "it is null" end
    value = again
  end
  return tidy(value)
end

--- Calls --------------------------------------------------------------------------------------------

local function is_object(value)
  return type(value) == "table" and value[1] == nil
end

--- Reads the arguments of a call: a table, or JSON text, which some models encode twice.
---@return table? arguments, string? why
local function read_arguments(arguments)
  if arguments == nil or arguments == "" then return {} end
  if type(arguments) == "string" and not arguments:find("%S") then return {} end
  local value, why = arguments, nil
  for _ = 1, 2 do
    if type(value) ~= "string" then break end
    if value == "null" then return {} end
    value, why = decode.json(value)
  end
  if type(value) == "table" and why == nil then value, why = tidy(value) end
  if value == nil then return nil, "they are not valid JSON: " .. text.cut(text.one_line(why or "?"), 160) end
  if not is_object(value) then return nil, "they must be one JSON object" end
  return value
end

local function new_call(id, name, arguments)
  local raw = type(arguments) == "string" and arguments or nil
  if type(name) ~= "string" or name == "" then
    return { id = id, name = "", error = "A tool call came without the tool's name.", raw = raw }
  end
  local value
  local why = limits.of_call(name, raw or "")
  if not why then
    value, why = read_arguments(arguments)
    if value then return { id = id, name = name, args = value } end
  end
  return {
    id = id, name = name, raw = raw,
    error = ("The arguments of %s cannot be read: %s."):format(text.cut(text.one_line(name), 64), why),
  }
end

-- The name and the arguments of an object that represents a call in one of the usual forms; nil if it does not.
local function call_shape(value)
  if not is_object(value) then return nil end
  local fn = value["function"]
  if type(fn) == "table" then return call_shape(fn) end
  local name = value.name or fn or value.tool
  local arguments = value.arguments or value.parameters or value.args
  if type(name) ~= "string" then return nil end
  if type(arguments) ~= "table" and type(arguments) ~= "string" then return nil end
  return name, arguments
end

-- Whether there are so many calls already that nothing of the answer will be used.
local function is_full(calls) return #calls > limits.most.calls end

-- Appends the calls in a decoded value. False, with nothing appended, if it holds none.
local function add_calls(calls, value)
  if type(value) ~= "table" then return false end
  if type(value.tool_calls) == "table" then value = value.tool_calls end
  local list = value[1] ~= nil and value or { value }
  local found = {}
  for _, item in ipairs(list) do
    local name, arguments = call_shape(item)
    if not name then return false end
    table.insert(found, { name, arguments })
    if is_full(found) then break end
  end
  for _, item in ipairs(found) do
    table.insert(calls, new_call("text_" .. #calls + 1, item[1], item[2]))
  end
  return #found > 0
end

local function add_broken(calls, source, why)
  table.insert(calls, {
    id = "text_" .. #calls + 1, name = source:match('"name"%s*:%s*"([%w_-]+)"') or "",
    error = "A tool call written as text cannot be read: " .. text.cut(text.one_line(why), 160) .. ".",
    raw = source,
  })
end

-- Appends the call in a text that a tag has announced as one. If it is malformed, an error is appended: an announced
-- call is never ignored.
local function add_announced(calls, source)
  local value, why = decode.json(source)
  if value == nil then add_broken(calls, source, why)
  elseif not add_calls(calls, value) then add_broken(calls, source, "it names no tool and arguments") end
end

--- Formats of calls in text ------------------------------------------------------------------------

-- One or more <tool_call>{...}</tool_call> (Qwen, Hermes). The last closing tag may be missing.
local function take_tags(source, calls)
  local rest, from = {}, 1
  while true do
    local first, last = source:find("<tool_call>", from, true)
    if not first then break end
    rest[#rest + 1] = source:sub(from, first - 1)
    local stop, after = source:find("</tool_call>", last + 1, true)
    add_announced(calls, source:sub(last + 1, (stop or #source + 1) - 1))
    from = (after or #source) + 1
    if is_full(calls) then break end
  end
  rest[#rest + 1] = source:sub(from)
  return table.concat(rest)
end

-- [TOOL_CALLS][{...}] or [TOOL_CALLS]name[ARGS]{...} (Mistral).
local function take_mistral(source, calls)
  local first, last = source:find("[TOOL_CALLS]", 1, true)
  if not first then return source end
  local name, from = source:match("^%s*([%w_-]+)%[ARGS%]()", last + 1)
  if not name then add_announced(calls, source:sub(last + 1)) end
  while name and not is_full(calls) do
    local stop, after = source:find("[TOOL_CALLS]", from, true)
    table.insert(calls, new_call("text_" .. #calls + 1, name, source:sub(from, (stop or #source + 1) - 1)))
    name, from = source:match("^%s*([%w_-]+)%[ARGS%]()", (after or #source) + 1)
  end
  return source:sub(1, first - 1)
end

-- Calls in ```json fences. A fence that holds something else stays in the text.
local function take_fences(source, calls)
  local rest, from = {}, 1
  while true do
    local first, last = source:find("```[%w_]*[ \t]*\r?\n", from)
    local stop, after = source:find("```", (last or #source) + 1, true)
    if not first or not stop then break end
    local value = decode.json(source:sub(last + 1, stop - 1))
    local taken = value ~= nil and add_calls(calls, value)
    rest[#rest + 1] = source:sub(from, (taken and first or after + 1) - 1)
    from = after + 1
    if is_full(calls) then break end
  end
  rest[#rest + 1] = source:sub(from)
  return table.concat(rest)
end

-- A content that is as a whole one JSON object or list.
local function take_bare(source, calls)
  if not source:find("^%s*[{%[]") then return source end
  local value = decode.json(source)
  if value ~= nil and add_calls(calls, value) then return "" end
  return source
end

local function take_calls(source)
  local calls = {}
  source = take_mistral(take_tags(source, calls), calls)
  if #calls == 0 then source = take_fences(source, calls) end
  if #calls == 0 then source = take_bare(source, calls) end
  return source, calls
end

--- Separates the thinking from the answer. The thinking comes first, between <think> tags; chat templates often remove
--- the opening one.
---@param source string
---@return string said the answer
---@return string? thinking
function decode.split_thinking(source)
  local from = source:match("^%s*<think>()") or 1
  local first, last = source:find("</think>", from, true)
  if first then return source:sub(last + 1), source:sub(from, first - 1) end
  if from > 1 then return "", source:sub(from) end -- the thinking was cut off before the closing tag
  return source, nil
end

--- The text and the calls of a reply.
---@param reply deskpilot.model.reply
---@return deskpilot.model.answer
function decode.reply(reply)
  local said, thinking = decode.split_thinking(reply.content or "")
  local answer = { thinking = thinking and text.trim(thinking), calls = {} }
  if #reply.tool_calls > 0 then
    for i, call in ipairs(reply.tool_calls) do
      answer.calls[i] = new_call(call.id, call.name, call.arguments)
    end
  else
    said, answer.calls = take_calls(said)
  end
  answer.text = text.trim(said)
  return answer
end

--- The calls of a reply that name a tool, and a sentence about the first one that does not.
---@param reply deskpilot.model.reply
---@return deskpilot.model.call[] calls each with args, or with error; none of an answer with too many
---@return string? why
function decode.calls(reply)
  if reply.excess then return {}, limits.sentence(reply.excess) end
  local named, why, list = {}, nil, decode.reply(reply).calls
  local many = limits.of_sizes(#list, 0)
  if many then return {}, limits.sentence(many) end
  for _, call in ipairs(list) do
    if call.name ~= "" then table.insert(named, call) else why = why or call.error end
  end
  return named, why
end

return decode
