--- The tools of a request described in words, for models and servers without tool calls: in the grammar in which the
--- model answers, with its own verbs where its vocabulary has them. It ends the system prompt, where it is the same in
--- every request.
local grammars = require "deskpilot.model.grammars"
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local vocabulary = require "deskpilot.model.vocabulary"

local tool_text = {}

-- What is not asked for: the model's thoughts stand in front of the call.
local function is_told_by_thoughts(name, translated)
  return name == "justification" or name == "label" and translated
end

local placeholders = { string = "'...'", integer = "1", number = "1", boolean = "true", array = "[...]",
  object = "{...}" }

local function is_place(definition)
  return definition.type == "array" and definition.minItems == 2 and definition.maxItems == 2
end

local function kind_of(definition)
  if definition.enum then
    local words = {}
    for i, value in ipairs(definition.enum) do words[i] = tostring(value) end
    return table.concat(words, "|")
  end
  return type(definition.type) == "table" and table.concat(definition.type, "|") or tostring(definition.type or "any")
end

-- The verb for a tool and its arguments' names.
local function spoken(name, own)
  local verb = own and own.words and own.words[name]
  return verb or name, verb and own.arguments and own.arguments[verb] or {}, verb ~= nil
end

-- The name of an argument, its definition and whether it is required, one after the other.
local function arguments_of(tool, own)
  local definition = tool.parameters
  local _, names, translated = spoken(tool.name, own)
  local required, list = {}, {}
  for _, name in ipairs(definition.required or {}) do required[name] = true end
  for _, name in ipairs(schema.names(definition)) do
    if not is_told_by_thoughts(name, translated) then
      list[#list + 1] = { name = names[name] or name, definition = definition.properties[name],
        required = required[name] }
    end
  end
  return list
end

local function value_text(argument, own)
  if is_place(argument.definition) then
    return own and own.name == "ui_tars" and "'<point>x y</point>'" or "[x, y]"
  end
  local kind = argument.definition.enum and "string" or argument.definition.type
  return placeholders[type(kind) == "table" and kind[1] or kind] or "'...'"
end

-- A call as an example: with what is required, or else with its place.
local function example_call(tool, own)
  local verb, parts = spoken(tool.name, own), {}
  for _, argument in ipairs(arguments_of(tool, own)) do
    if argument.required or is_place(argument.definition) then
      parts[#parts + 1] = ("%s=%s"):format(argument.name, value_text(argument, own))
    end
  end
  return ("%s(%s)"):format(verb, table.concat(parts, ", "))
end

-- "- click(point, element?): Click one element." with a line for each argument that needs one.
local function signature(tool, own)
  local verb, parts, lines = spoken(tool.name, own), {}, {}
  for _, argument in ipairs(arguments_of(tool, own)) do
    local definition = argument.definition
    parts[#parts + 1] = argument.name .. (argument.required and "" or "?")
    lines[#lines + 1] = ("    %s (%s): %s"):format(argument.name, is_place(definition) and value_text(argument, own)
      or kind_of(definition), text.one_line(definition.description or ""))
  end
  local head = ("- %s(%s): %s"):format(verb, table.concat(parts, ", "), text.one_line(tool.description or ""))
  return #lines > 0 and head .. "\n" .. table.concat(lines, "\n") or head
end

local function json_example(tool)
  return ('{"name": "%s", "arguments": {...}}'):format(tool.name)
end

local styles = {}

function styles.json(tools)
  local lines = {}
  for i, tool in ipairs(tools) do lines[i] = json.encode(tool) end
  return table.concat(lines, "\n"), json_example(tools[1])
end

function styles.call(tools, own)
  local lines = {}
  for i, tool in ipairs(tools) do lines[i] = signature(tool, own) end
  return table.concat(lines, "\n"), example_call(tools[1], own)
end

function styles.tags(tools, own)
  local lines, parts = {}, {}
  for i, tool in ipairs(tools) do lines[i] = signature(tool, own) end
  for _, argument in ipairs(arguments_of(tools[1], own)) do
    if argument.required or is_place(argument.definition) then
      local value = is_place(argument.definition) and "<point>x y</point>" or "..."
      parts[#parts + 1] = ("<parameter=%s>%s</parameter>"):format(argument.name, value)
    end
  end
  return table.concat(lines, "\n"), ("<function=%s>%s</function>"):format(spoken(tools[1].name, own),
    table.concat(parts))
end

--- What the system prompt says of the tools.
---@param definitions table[] as a request's `tools`
---@param profile deskpilot.model.profile
---@return string
function tool_text.of(definitions, profile)
  local tools = {}
  for i, definition in ipairs(definitions) do tools[i] = definition["function"] end
  local grammar = grammars.of(profile.grammar) or grammars.of "tool_call"
  if grammar.style == "place" then
    return "ANSWER with the one place on the screenshot that is to be clicked next, as [x, y], and nothing else."
  end
  local listed, example = styles[grammar.style or "json"](tools, vocabulary.of(profile.vocabulary))
  local teach = grammar.teach or grammars.of "tool_call".teach
  local first, last = teach:find("%s", 1, true)
  return ("TOOLS\n%s\n\nHOW TO CALL A TOOL\n%s%s%s\nAn argument marked ? may be left out. Every answer has a call.")
    :format(listed, teach:sub(1, first - 1), example, teach:sub(last + 1))
end

--- The result of a call, for a model that is told of it in words.
---@param name string
---@param words string
---@return string
function tool_text.result(name, words)
  return ("RESULT OF %s:\n%s"):format(name, words)
end

return tool_text
