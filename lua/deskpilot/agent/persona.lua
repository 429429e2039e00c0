--- Asking a persona: its prompt, its request, and what happens when its model is not there.
local errors = require "deskpilot.base.errors"
local lookup = require "deskpilot.base.lookup"
local text = require "deskpilot.base.text"

local persona = {}

--- The words of a prompt, with {{name}} replaced by its value.
---@param name string of a file in prompts/
---@param values table<string, string>?
---@return string
function persona.prompt(name, values)
  local words = assert(lookup.text("prompts/" .. name .. ".md"))
  return (words:gsub("{{(%w+)}}", function(key) return values and values[key] end))
end

-- Answers that no other turn will change: a wrong key, a model or an address that does not exist.
local useless = { [401] = true, [403] = true, [404] = true }

--- Whether asking again could not help: the server is not there, or does not know us or the model.
---@param err deskpilot.error
---@return boolean
function persona.is_gone(err)
  return err.code == "unavailable" or useless[err.status] == true
end

--- Asks one persona. A model that refuses or is not there ends the run; every other failure is a step.
---@param run deskpilot.run
---@param name string
---@param request table as for run:ask
---@return deskpilot.reply? reply, deskpilot.error? err
function persona.ask(run, name, request)
  request.persona = name
  local reply, err = run:ask(request)
  if reply and reply.refusal then
    run:stop("failed", ("the %s refused: %s"):format(name, text.one_line(reply.refusal)))
    return nil, errors.new("refused", reply.refusal)
  end
  if not reply and persona.is_gone(err) then
    run:emit("error", { name = name, message = err.message, code = err.code })
    run:stop("error", err.message)
    run.outcome.missing = true -- the environment lacks something: the program's exit status says so
  end
  return reply, err
end

return persona
