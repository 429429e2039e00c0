--- What is said of a request that a model server has not answered: the sentence, its code, and what else can be known
--- of it by whoever asked (deskpilot.model.failure).
local advice = require "deskpilot.model.advice"
local errors = require "deskpilot.base.errors"
local refusal = require "deskpilot.model.refusal"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local failure = {}

local longest = 64 * 1024 -- bytes that are read of the page or message with which a server fails

--- What a failure of a model server has beside its code.
---@class deskpilot.model.failure: deskpilot.error
---@field endpoint string
---@field attempts integer? how often it was tried
---@field status integer? of HTTP, where a server answered
---@field unreachable boolean? nothing listens there
---@field page boolean? a web page stood where an answer should be
---@field html boolean? so it did, and says what is wrong
---@field timeout "connect"|"total"|"stall"|nil
---@field refusal deskpilot.model.refusal? what of the request the server does not take

---@param endpoint string the server's address as it may be shown
---@param code string
---@param message string
---@param fields table?
---@return nil, deskpilot.model.failure err
function failure.new(endpoint, code, message, fields)
  local err = errors.new(code, "%s", secrets.mask(message))
  for key, value in pairs(fields or {}) do err[key] = value end
  err.endpoint = endpoint
  return nil, err
end

local function not_there(endpoint, is_local, err)
  local why = tostring(err):match("^[^(]*%((.*)%)$") or tostring(err)
  local next_step = is_local and advice.start(endpoint) or "check the address and the network"
  return failure.new(endpoint, "unavailable", ("no model server answers at %s (%s): %s"):format(endpoint, why,
    next_step), { unreachable = true })
end

--- A request that was not answered at all.
---@param endpoint string
---@param is_local boolean whether the server is of this machine
---@param err deskpilot.error of HTTP
---@return nil, deskpilot.model.failure|deskpilot.error err
function failure.of_transport(endpoint, is_local, err)
  if err.not_begun then return nil, err end
  if err.code == "unavailable" then return not_there(endpoint, is_local, err) end
  return failure.new(endpoint, err.code, ("the model server at %s: %s"):format(endpoint, tostring(err)),
    { timeout = err.timeout })
end

--- A server's message, from any of the usual fields of its answer.
---@param body string
---@return string
function failure.message(body)
  if #body > longest then -- at a blank, so that no key is cut in half
    body = body:sub(1, longest):match("^.*%s") or ""
  end
  -- Masked before it is shortened: a key that is cut in half would not be recognised.
  local said = text.cut(text.one_line(secrets.mask((refusal.said(body)))), 500)
  return said ~= "" and said or "(no explanation)"
end

local codes = { [401] = "refused", [402] = "refused", [403] = "refused", [404] = "not_found", [408] = "timed_out" }

-- The title of a page where an answer should be, masked before it is shortened; nil where it is no page.
local function page_title(result)
  return advice.page_title { headers = result.headers, body = secrets.mask(result.body:sub(1, 8192)) }
end

-- Google's servers answer 400 to a key that they do not know, which elsewhere is 401.
local function is_wrong_key(result)
  return result.status == 400 and result.body:sub(1, 4096):find('"API_KEY_INVALID"', 1, true) ~= nil
end

--- A server that has answered with another status than 200, or with an error that has one.
---@param endpoint string
---@param result deskpilot.http.result
---@param hint string? what to do about a key that is not accepted
---@return nil, deskpilot.model.failure err
function failure.of_status(endpoint, result, hint)
  local status = result.status
  if is_wrong_key(result) then status = 401 end
  local code = codes[status] or ((status == 429 or status >= 500) and "unavailable") or "protocol"
  local title = page_title(result)
  if title and (status == 404 or status == 405) then
    return failure.new(endpoint, code, advice.page(endpoint, title), { status = status, page = true })
  end
  local said = title and title ~= "" and title or failure.message(result.body)
  if status >= 300 and status < 400 and result.headers.location then
    hint = "it leads elsewhere, and no key is taken there: give the address that is meant by model.endpoint"
    said = "moved to " .. text.cut(text.one_line(secrets.mask(result.headers.location)), 200)
  elseif status ~= 401 and status ~= 403 then
    hint = nil
  end
  return failure.new(endpoint, code, ("the model server at %s answered %d: %s%s"):format(endpoint, status, said,
    hint and (" (%s)"):format(hint) or ""), { status = status, html = title ~= nil })
end

--- A web page where an answer should be; nil where there is none.
---@param endpoint string
---@param result deskpilot.http.result
---@return deskpilot.model.failure?
function failure.of_page(endpoint, result)
  local title = page_title(result)
  if not title then return nil end
  return (select(2, failure.new(endpoint, "protocol", advice.page(endpoint, title),
    { page = true, status = result.status })))
end

--- An answer that is none.
---@param endpoint string
---@param answer string what it should be: "chat completion"
---@param why string
---@param said string? the server's own message
---@return nil, deskpilot.model.failure err
function failure.of_answer(endpoint, answer, why, said)
  return failure.new(endpoint, "protocol", ("the model server at %s answered what is no %s: %s%s"):format(endpoint,
    answer, why, said and (" (%s)"):format(said) or ""))
end

return failure
