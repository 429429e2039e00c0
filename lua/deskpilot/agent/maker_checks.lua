--- What a model's maker wants a person to allow before a call is done: OpenAI's pending safety checks, Gemini's safety
--- decisions. A person is asked as for anything dangerous; without a yes nothing of it is done.
local json = require "deskpilot.base.json"
local questions = require "deskpilot.agent.questions"
local text = require "deskpilot.base.text"

local maker_checks = {}

local function words_of(check)
  local words = text.trim(text.one_line(check.message or check.code or ""))
  return words ~= "" and words or "no reason was given"
end

-- One question for the calls that a check is for: the checks of an answer's calls are often the same.
local function key_of(check)
  return json.encode { check.id or "", check.code or "", check.message or "" }
end

-- The calls of an answer that each check is for, by the check's key, and the keys in their order.
local function by_check(calls)
  local list, known = {}, {}
  for _, call in ipairs(calls) do
    for _, check in ipairs(call.checks or {}) do
      local key = key_of(check)
      if not known[key] then
        known[key] = { check = check, calls = {} }
        list[#list + 1] = known[key]
      end
      table.insert(known[key].calls, call)
    end
  end
  return list
end

local function described(calls)
  local list = {}
  for i, call in ipairs(calls) do list[i] = call.name .. " " .. json.encode(call.args or {}) end
  return table.concat(list, ", ")
end

--- Asks a person about each check in an answer. Calls that are not allowed get an error in place of their arguments;
--- then the answer is not given back to its server as it was, which would want the checks acknowledged.
---@param run deskpilot.run
---@param reply deskpilot.reply
function maker_checks.settle(run, reply)
  local refused, asked = nil, by_check(reply.calls)
  for _, one in ipairs(asked) do
    local _, err
    if not refused then
      _, err = questions.consent(run, { what = described(one.calls), why = "the model's maker wants a person's word: "
        .. words_of(one.check) })
      refused = err
    end
    for _, call in ipairs(refused and one.calls or {}) do call.args, call.error = nil, tostring(refused) end
  end
  if #asked > 0 and reply.turn then
    if refused then reply.turn = nil else reply.turn.allowed = true end
  end
end

return maker_checks
