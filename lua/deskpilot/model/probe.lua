--- Whether a model server is there and has the model, asked before anything is started that a person would have to wait
--- for. Only what is certain is a failure: a server that keeps no list of its models, one that is slow, and one that
--- answers to names which it does not list, are taken as they are.
local advice = require "deskpilot.model.advice"
local client = require "deskpilot.model.client"
local endpoints = require "deskpilot.model.endpoint"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local probe = {}

--- Seconds.
probe.timing = {
  answer = 10,      -- timeout: of the smallest question, where the list of models leaves a doubt
  elsewhere = 2,    -- timeout: of the same server's list at another path
}

local function with(options, changes)
  local copy = {}
  for key, value in pairs(options) do copy[key] = value end
  for key, value in pairs(changes) do copy[key] = value end
  return copy
end

-- Ollama's "name" is its "name:latest".
local function has(names, wanted)
  for _, name in ipairs(names) do
    if name:lower() == wanted:lower() or name:lower() == wanted:lower() .. ":latest" then return true end
  end
  return false
end

-- The address at which the same server lists its models, where that is not the one given.
local function elsewhere(options)
  local urls = endpoints.parse(options.endpoint)
  local origin = urls.base:match("^%a+://[^/]+")
  for _, base in ipairs { urls.base .. "/v1", origin .. "/v1", origin .. "/api/v1" } do
    if base ~= urls.base then
      local other = client.new(with(options, { endpoint = base, connect_timeout = probe.timing.elsewhere }))
      local done, names = task.limit(probe.timing.elsewhere, function() return other:models() end)
      if done and names then return other.endpoint end
    end
  end
end

-- Failures after which no answer is to be expected, whatever is asked.
local function is_dead(err)
  return err.unreachable or err.timeout == "connect" or err.code == "invalid"
    or err.code == "protocol" and not err.status
end

-- Whether a refusal is about the model's name. Servers have no common code for it.
local function is_about_model(err)
  if err.page or not err.status or err.status >= 500 then return false end
  local words = err.message:gsub("^the model server", ""):lower()
  if not words:find("model", 1, true) then return false end
  for _, part in ipairs { "not found", "not exist", "unknown", "no such", "invalid model", "not a valid model" } do
    if words:find(part, 1, true) then return true end
  end
  return false
end

-- The smallest question there is: what is certain from its answer, nil where nothing is. `before`: how the list was
-- answered, where by a web page.
local function refusal(options, before)
  -- What is learned of the server here would not be told.
  local asking = assert(client.new(with(options, { timeout = probe.timing.answer, retries = 0, cache = false })))
  local reply, err = asking:chat { persona = "probe", max_tokens = 1,
    messages = { { role = "user", content = "Answer: OK." } } }
  if reply then return nil end
  if before and err.html then return before end -- pages for both, with whatever status
  local status = err.status
  local certain = status == 401 or status == 403 or status == 404 or err.page or is_dead(err) or is_about_model(err)
  return certain and err or nil
end

-- What a failed request for the list comes to.
local function judge(options, err)
  if is_dead(err) and not err.page then return nil, err end
  if err.page or err.status == 404 or err.status == 405 then
    local address = elsewhere(options)
    if address then
      return errors.fail(err.code, "%s is not the address of a model server, but %s is: use --endpoint %s",
        err.endpoint, address, address)
    end
  end
  if err.page or err.status == 401 or err.status == 403 then
    local refused = refusal(options, err.page and err)
    if refused then return nil, refused end
  end
  return true
end

--- Asks.
---@param options deskpilot.model.options as for the client
---@return boolean? ok, deskpilot.error? err what is certain: nobody is there, it is no model server, it does not accept
---  the key, it has no such model
function probe.check(options)
  local asked, err = client.new(options)
  if not asked then return nil, err end
  if asked.literal or asked.replay then return true end
  local names, failure = asked:models()
  if not names then return judge(with(options, { endpoint = options.endpoint or client.default_endpoint }), failure) end
  if has(names, asked.name) then return true end
  local refused = refusal(options)
  if not refused then return true end
  if not is_about_model(refused) and refused.status ~= 404 then return nil, refused end
  return errors.fail("not_found", "the model server at %s has no model %s: %s", asked.endpoint, asked.name,
    advice.model(asked.endpoint, asked.name, names))
end

return probe
