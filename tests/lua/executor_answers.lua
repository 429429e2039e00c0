--- Plays answers of an agent with the policy `task_executor` on the desktop that is only imagined.
local null_run = require "null_run"

local function said(words) return null_run.calls({}, words) end

--- Plays the answers one after the other: calls { name, arguments }, or words; the last is repeated.
---@return deskpilot.run run, table[] events, string[] told what the requests told, in words
local function play(mission, answers, flags)
  local told, count = {}, 0
  mission.policy, mission.task = "task_executor", mission.task or "Do it."
  local run, events = null_run.play(mission, { flags = flags, model = function(request)
    count = count + 1
    local words = {}
    for _, message in ipairs(request.messages) do
      for _, part in ipairs(type(message.content) == "table" and message.content or { { text = message.content } }) do
        words[#words + 1] = part.text
      end
    end
    told[count] = table.concat(words, "\n")
    local answer = answers[math.min(count, #answers)]
    return type(answer) == "string" and said(answer) or null_run.calls { answer }
  end })
  return run, events, told
end

return play
