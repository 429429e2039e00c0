--- Asking one of the personas for one call of the tools that it is offered.
local json = require "deskpilot.base.json"
local persona = require "deskpilot.agent.persona"
local text = require "deskpilot.base.text"

local asking = {}

-- A failed step, of which its persona reads in its next request.
local function reject(run, who, name, args, why)
  run.state.mistake = { persona = who, why = why }
  run:reject(name ~= "" and name or "(none)", args or json.list {}, why)
end

-- The call of an answer, or its name, its arguments and what is wrong with it.
local function usable(run, request, box, reply)
  local calls = reply.calls or {}
  local call = calls[1]
  if not call then
    return nil, "(none)", nil, reply.calls_error and tostring(reply.calls_error)
      or ("call one of your tools (%s); you said: %q"):format(table.concat(request.tools, ", "),
        text.cut(text.one_line(reply.content or ""), 150))
  end
  if not call.args then return nil, call.name, nil, tostring(call.error) end
  local args, why = box:validate(call.name, call.args, run)
  if not args then return nil, call.name, call.args, tostring(why) end
  return { name = call.name, args = args, more = #calls - 1 }
end

--- Asks. Nothing comes back where the run has ended or the answer is of no use; that is a failed step then.
---@param run deskpilot.run
---@param who string the persona
---@param request table as for run:ask, with `toolbox` and `tools`
---@return { name: string, args: table, more: integer }? call more: how many others came with it, which are not done
function asking.call(run, who, request)
  local box, mistake = request.toolbox, run.state.mistake
  if mistake and mistake.persona == who then
    request.brief.notes = request.brief.notes or {}
    table.insert(request.brief.notes, { "WHAT WAS WRONG WITH YOUR LAST ANSWER", mistake.why })
  end
  local reply, err = persona.ask(run, who, request)
  if run.outcome then return nil end
  run.state.mistake = nil
  if not reply then
    run:emit("error", { name = who, message = tostring(err), code = err.code })
    reject(run, who, "(none)", nil, "the model did not answer: " .. tostring(err))
    return nil
  end
  local call, name, args, why = usable(run, request, box, reply)
  if not call then
    reject(run, who, name, args, why)
    return nil
  end
  if call.more > 0 then
    run.history:add(run.turn, "note", ("%d more tool call%s came with %s and %s not done: one in an answer"):format(
      call.more, call.more == 1 and "" or "s", call.name, call.more == 1 and "was" or "were"))
  end
  return call
end

--- Records that a call which could be read is of no use, so that its persona answers anew.
---@param run deskpilot.run
---@param who string the persona
---@param call { name: string, args: table }
---@param why string
function asking.reject(run, who, call, why)
  reject(run, who, call.name, call.args, why)
end

return asking
