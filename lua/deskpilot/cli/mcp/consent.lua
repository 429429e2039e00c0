--- Questions of a run to a person, asked by the client whose call is worked on: by elicitation, where the client has
--- it.
local errors = require "deskpilot.base.errors"
local failure = require "deskpilot.cli.mcp.failure"

local consent = {}

local function schema_of(question)
  local answer = question.options and { type = "string", enum = question.options } or { type = "string" }
  answer.title, answer.default = "Answer", question.default
  return { type = "object", properties = { answer = answer }, required = { "answer" } }
end

-- Whether the client can show its user a form: some can only open an address.
local function can_ask(call)
  local can = call:has "elicitation" and call.client.capabilities.elicitation
  return can and (can.form ~= nil or can.url == nil)
end

local function ask(call, question)
  local form = { mode = call.client.stateless and "form" or nil, message = question.text,
    requestedSchema = schema_of(question) }
  local ok, answers, err = pcall(call.ask, call, { question = { method = "elicitation/create", params = form } },
    question.seconds)
  if not ok then
    if failure.is(answers) then return errors.fail("unavailable", "%s", answers.message) end
    error(answers, 0)
  end
  if not answers then return nil, err end
  local said = answers.question
  local content = type(said.content) == "table" and said.content or {}
  if said.action == "accept" and type(content.answer) == "string" then return content.answer end
  return errors.fail("refused", "the client's user did not answer (%s)", tostring(said.action):sub(1, 40))
end

--- The client's user as somebody who may answer.
---@param desktop_of fun(): deskpilot.mcp_desktop?
---@return deskpilot.answerer
function consent.answerer(desktop_of)
  return { name = "the client's user", ask = function(_, question)
    local desktop = desktop_of()
    local call = desktop and desktop.call
    if not call then return errors.fail("unavailable", "no client is there to ask its user") end
    if not can_ask(call) then
      return errors.fail("unavailable", "this client cannot ask its user (it lacks the capability elicitation for "
        .. "forms): use one that can, give the server answers by --answers FILE, or say in the configuration which "
        .. "acts need consent (safety.approve)")
    end
    return ask(call, question)
  end }
end

return consent
