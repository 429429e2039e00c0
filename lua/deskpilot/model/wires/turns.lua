--- What a model has said, given back to it together with what came of its calls. A maker's own server wants its answer
--- back as it was, with what it has signed or encrypted in it, and each call in it answered once.
local text = require "deskpilot.base.text"

local turns = {}

--- What stands for the result of a call that nothing was told of.
turns.not_done = "Not executed."

--- An answer that may be given back; nil where it is not as it should be: then its calls are told of as those of
--- others.
---@param items any what it consists of
---@param call_of fun(item: table): { id: any, name: any, args: any }? the call that an item is, nil where it is none
---@return { items: table[] }?
function turns.of(items, call_of)
  local known = {}
  for _, item in ipairs(type(items) == "table" and items or { false }) do
    if type(item) ~= "table" or item[1] ~= nil then return nil end
    local call = call_of(item)
    if call then
      if type(call.id) ~= "string" or call.id == "" or known[call.id] then return nil end
      if type(call.name) ~= "string" or type(call.args) ~= "table" then return nil end
      known[call.id] = true
    end
  end
  return { items = items }
end

--- The answer in a message, where this wire and this model have given it.
---@param message table of the assistant
---@param wire string
---@param model string
---@return deskpilot.model.turn?
function turns.own(message, wire, model)
  local turn = message.turn
  return turn and turn.wire == wire and turn.model == model and turn or nil
end

--- The results after a message of the assistant, in their order.
---@param messages table[]
---@param at integer where that message is
---@return table[] results messages with the role "tool"
function turns.results(messages, at)
  local list = {}
  for i = at + 1, #messages do
    if messages[i].role ~= "tool" then break end
    list[#list + 1] = messages[i]
  end
  return list
end

--- The results that belong to one call of an answer: one call of a maker's tool may have become several of ours.
---@param results table[]
---@param id string the call's, or what those of its parts begin with before a "/"
---@return table[]
function turns.of_call(results, id)
  local list = {}
  for _, result in ipairs(results) do
    if result.from == id or text.starts(result.from or "", id .. "/") then list[#list + 1] = result end
  end
  return list
end

--- The contents of results, as parts.
---@param results table[]
---@return table[] parts texts and images
---@return boolean failed whether one of them has
function turns.parts(results)
  local parts, failed = {}, false
  for _, result in ipairs(results) do
    local content = result.content
    if type(content) ~= "table" then content = { { type = "text", text = tostring(content) } } end
    table.move(content, 1, #content, #parts + 1, parts)
    failed = failed or result.failed == true
  end
  if #parts == 0 then parts[1] = { type = "text", text = turns.not_done } end
  return parts, failed
end

--- The words of parts, without their images.
---@param parts table[]
---@return string
function turns.words(parts)
  local words = {}
  for _, part in ipairs(parts) do
    if part.type == "text" then words[#words + 1] = part.text end
  end
  return table.concat(words, "\n")
end

--- The images among parts.
---@param parts table[]
---@return table[]
function turns.images(parts)
  local list = {}
  for _, part in ipairs(parts) do
    if part.type == "image" then list[#list + 1] = part end
  end
  return list
end

--- A content, which may be a text alone, as parts.
---@param content string|table[]|nil
---@return table[]
function turns.content(content)
  if type(content) == "table" then return content end
  return (content or "") ~= "" and { { type = "text", text = content } } or {}
end

--- The picture that positions are points of: the last one of the first message that has any.
---@param messages table[]
---@return table? part
function turns.screen(messages)
  for _, message in ipairs(messages) do
    local images = type(message.content) == "table" and turns.images(message.content) or {}
    if #images > 0 then return images[#images] end
  end
end

--- The maker's own tool for the computer, where it is to be offered: beside tools of ours that point.
---@param request deskpilot.model.request
---@param how deskpilot.model.wire.how
---@param kinds table<string, true> those that the wire has
---@return string? kind
function turns.computer(request, how, kinds)
  local kind = how.profile and how.profile.computer
  if not kind or not kinds[kind] then return nil end
  for _, tool in ipairs(request.tools or {}) do
    if tool["function"].name == "click_element" then return kind end
  end
end

--- The actions of a maker's tool that nothing here can do: none of the tools that they need is offered.
---@param request deskpilot.model.request
---@param needs table<string, string[]> by the action: tools, one of which is enough; none: it can never be done
---@return string[] actions sorted
function turns.impossible(request, needs)
  local offered, list = {}, {}
  for _, tool in ipairs(request.tools or {}) do offered[tool["function"].name] = true end
  for action, names in pairs(needs) do
    local possible = false
    for _, name in ipairs(names) do possible = possible or offered[name] or false end
    if not possible then list[#list + 1] = action end
  end
  table.sort(list)
  return list
end

return turns
