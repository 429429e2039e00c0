--- What has been said so far of an answer that comes as a stream (deskpilot.model.wire.view), and its limits.
local limits = require "deskpilot.model.limits"

local progress = {}

--- Nothing has.
---@return deskpilot.model.wire.view
function progress.new()
  return { content = {}, thinking = {}, calls = {}, count = 0, size = 0 }
end

--- Adds a piece to one of the lists.
---@param view deskpilot.model.wire.view
---@param list string[] its content, its thinking or the arguments of a call
---@param piece string
---@return string? excess what is too large
function progress.add(view, list, piece)
  list[#list + 1] = piece
  view.count, view.size = view.count + 1, view.size + #piece
  return limits.of_sizes(#view.calls, view.size)
end

--- Adds a call.
---@param view deskpilot.model.wire.view
---@param name any
---@param id any
---@param whole table? its arguments, where they come as one
---@return table call
---@return string? excess
function progress.call(view, name, id, whole)
  local call = { name = type(name) == "string" and name or "", arguments = {}, whole = whole }
  view.calls[#view.calls + 1] = call
  return call, limits.of_call(call.name, "", type(id) == "string" and id or nil)
    or limits.of_sizes(#view.calls, view.size)
end

return progress
