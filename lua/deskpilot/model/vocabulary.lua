--- Turns what a model has called into calls of our tools. A maker's verbs (left_click, hotkey, finished ...) become the
--- tools that were offered, and no others: what has no tool here becomes a call with an error, which the model is sent.
--- Positions stay in the model's space; space.lua converts them afterwards.
local limits = require "deskpilot.model.limits"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local tools = require "deskpilot.model.act_tools"

local vocabulary = {}

--- What a file of vocabularies/ returns.
---@class deskpilot.model.vocabulary
---@field name string that of its file
---@field verbs table<string, deskpilot.model.verb> by their names in lower case, blanks as _
---@field wraps table<string, string>? calls that name their verb in this argument
---@field flat boolean? its verbs are calls of their own in the API's field, beside those of our tools
---@field words table<string, string>? the verb for one of our tools, where tools are described as text
---@field arguments table<string, table<string, string>>? of a verb, its own name for one of our arguments

local names = { "common", "autoglm", "claude", "fara", "gemini", "gemini_3_5", "glm", "mai_ui", "openai", "pyautogui",
  "qwen", "ui_tars", "yutori" }

local python = { pyautogui = true, computer = true, time = true }

--- The names of all vocabularies.
---@return string[]
function vocabulary.names() return { table.unpack(names) } end

--- The vocabulary of that name.
---@param name any
---@return deskpilot.model.vocabulary?
function vocabulary.of(name)
  for _, known in ipairs(names) do
    if known == name then return require("deskpilot.model.vocabularies." .. known) end
  end
end

local common = vocabulary.of "common"

local function plain(name) return (name:lower():gsub("[%s-]+", "_")) end

-- The verb of a call, and its arguments: its name, or what a call that wraps it says.
local function unwrapped(call, own)
  local inside = own and own.wraps and own.wraps[call.name] or common.wraps[call.name]
  local verb = inside and call.args[inside]
  if type(verb) ~= "string" then return call.name, call.args end
  local args = {}
  for key, value in pairs(call.args) do
    if key ~= inside then args[key] = value end
  end
  return verb, args
end

-- What a verb means: in the model's own vocabulary, or else in the common one.
local function meaning(verb, own)
  local library, rest = verb:match("^([%a_]+)%.([%w_]+)$")
  if library and python[library] then
    local known = vocabulary.of "pyautogui".verbs[rest:lower()]
    return known or common.verbs[plain(rest)]
  end
  verb = plain(verb)
  return own and own.verbs[verb] or common.verbs[verb]
end

local filled = { justification = true, label = true, evidence = true }

-- Whether the arguments of a call are the tool's, and none is missing. `lenient`: but for those that are filled in.
local function has_its_arguments(call, definition, lenient)
  for key in pairs(call.args) do
    if not definition.properties[key] then return false end
  end
  for _, key in ipairs(definition.required or {}) do
    if call.args[key] == nil and not (lenient and filled[key]) then return false end
  end
  return true
end

-- Tools that are called as makers have called their verbs, each with arguments of its own: tap(coordinate=...).
local touch = { tap = true, swipe = true, type = true, back = true, home = true, recent = true, finish = true }

-- Whether a call is one of a tool as we have described it, and not a verb of the same name.
local function is_ours(call, definition, profile, own)
  if not definition then return false end
  local described = profile ~= nil and profile.tools == "text"
  if described or call.verb then return has_its_arguments(call, definition, true) end
  if own and own.flat and own.verbs[plain(call.name)] then return has_its_arguments(call, definition) end
  return not touch[call.name] or has_its_arguments(call, definition, true)
end

local silent = "(The model gave no reason of its own.)"

-- What our tools want to be told beside the act: vocabularies have no place for it, and thoughts stand beside the call.
local function fill(args, definition, thought)
  for _, key in ipairs(definition.required or {}) do
    if args[key] == nil and key == "justification" then args[key] = thought or silent end
    if args[key] == nil and key == "label" then args[key] = "the target" end
  end
  return args
end

-- The words of an answer as a reason.
local function reason_of(answer)
  local words = answer and answer.text or ""
  if not words:find("%S") then words = answer and answer.thinking or "" end
  words = text.one_line(text.trim(words):gsub("^Thought:%s*", ""))
  return words ~= "" and text.cut(words, 600) or nil
end

local stand_ins = { position = { 0, 0 }, box = { 0, 0, 1, 1 } } -- for places, which are still in the model's space

-- What the tool's schema says of arguments that were made of a verb's; nil where it allows them.
local function problem_of(definition, args)
  local copy = {}
  for key, value in pairs(args) do
    local property = definition.properties[key]
    copy[key] = property and stand_ins[property.format] or value
  end
  local ok, why = schema.validate(definition, copy)
  return not ok and why or nil
end

local function failed(call, name, why)
  return { id = call.id, name = name, error = text.cut(text.one_line(why), 600) }
end

-- Acts that belong together as one: a model may move the pointer first, and then press, drag or click where it is.
local function merged(list)
  local result = {}
  for _, item in ipairs(list) do
    local before = result[#result]
    local last, act = before and before.act, item.act
    local moved = last and last.act == "click" and last.clicks == 0 and last.at
    if act and moved and act.act == "drag_to" then
      before.act = { act = "drag", at = last.at, to = act.to, label = act.label or last.label }
    elseif act and moved and act.act == "click" and not act.at and not act.element then
      act.at = last.at
      before.act = act
    elseif act and act.act == "down" and (act.at or moved) then
      local down = { act = "down", at = act.at or last.at, label = act.label }
      if moved then before.act = down else result[#result + 1] = { call = item.call, act = down } end
    elseif act and last and last.act == "down" and act.act == "click" and act.clicks == 0 then
      last.to = act.at
    elseif act and last and last.act == "down" and act.act == "up" and (act.at or last.to) then
      before.act = { act = "drag", at = last.at, to = act.at or last.to, label = last.label }
    else
      result[#result + 1] = item
    end
  end
  return result
end

-- The acts of calls, each with the call that it is of; calls that stay as they are have none.
local function read(calls, profile, own, offered)
  local list = {}
  for _, call in ipairs(calls) do
    if call.error or not call.args then
      list[#list + 1] = { call = call }
    else
      local verb, args = unwrapped(call, own)
      local ours = verb == call.name and is_ours(call, offered[call.name], profile, own)
      local known = not ours and meaning(verb, own)
      local acts = known and known(args)
      if acts and acts.act then acts = { acts } end
      for _, act in ipairs(acts or {}) do
        act.verb, act.justification = verb, args.justification or call.thought
        list[#list + 1] = { call = call, act = act }
      end
      if not acts then list[#list + 1] = { call = call, verb = verb ~= call.name and verb or nil } end
    end
  end
  return merged(list)
end

-- What becomes one act with those around it, or nothing beside them.
local function leans(act)
  return act.act == "down" or act.act == "up" or act.act == "drag_to" or act.act == "look"
    or act.act == "click" and (act.clicks == 0 or not (act.at or act.element))
end

--- Whether calls mean the same whatever comes before or after them: a move of the pointer, or a button that is pressed,
--- becomes one act with the next.
---@param calls deskpilot.model.call[]
---@param profile deskpilot.model.profile?
---@param offered table<string, table> as for translate
---@return boolean
function vocabulary.stand_alone(calls, profile, offered)
  for _, item in ipairs(read(calls, profile, vocabulary.of(profile and profile.vocabulary), offered)) do
    if item.act and leans(item.act) then return false end
  end
  return true
end

-- A call as it is. Where tools are described in words, a justification is not asked for: the thoughts stand for it.
local function kept(item, profile, offered, thought)
  local call, definition = item.call, offered[item.call.name]
  if item.verb and not definition then
    return failed(call, call.name, ("%s has no %q here; the tools are %s."):format(call.name, text.cut(item.verb, 60),
      text.join(text.keys(offered))))
  end
  local told = call.verb or profile and profile.tools == "text"
  if told and definition and call.args then fill(call.args, definition, call.thought or thought) end
  return call
end

-- The call of our tool for an act.
local function made(call, act, offered, thought)
  local name, args = tools.of(act, offered)
  if type(args) == "string" then return failed(call, name or call.name, args) end
  args.justification = offered[name].properties.justification and act.justification or nil
  local why = problem_of(offered[name], fill(args, offered[name], thought))
  if why then return failed(call, name, ("%s: %s."):format(act.verb, why)) end
  return { id = call.id, name = name, args = args }
end

local function is_look(item) return item.act and item.act.act == "look" and not item.act.at end

--- The calls of our tools that a model's calls stand for.
---@param calls deskpilot.model.call[]
---@param profile deskpilot.model.profile?
---@param offered table<string, table> the schemas of the tools that were offered, by their names
---@param answer deskpilot.model.answer? that they are of, for its thoughts
---@return deskpilot.model.call[]
function vocabulary.translate(calls, profile, offered, answer)
  local own, result = vocabulary.of(profile and profile.vocabulary), {}
  local clicks = profile and profile.grammar == "points"
  local thought = reason_of(answer)
  local list = read(calls, profile, own, offered)
  for _, item in ipairs(list) do
    local act = item.act
    if #result == limits.most.calls then break end
    if clicks and item.call.name == "point" and act then
      act.act, act.at, act.clicks, act.button = "click", item.call.args.position, 1, "left"
      act.label = item.call.args.label
    end
    if not act then
      result[#result + 1] = kept(item, profile, offered, thought)
    elseif not (is_look(item) and #list > 1) then -- a look at the whole screen comes with every request
      result[#result + 1] = made(item.call, act, offered, thought)
    end
  end
  return result
end

return vocabulary
