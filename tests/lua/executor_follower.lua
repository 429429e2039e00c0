--- An agent that a test plays over HTTP: it does the steps of a shipped mission's task one after the other, by what the
--- request says is on the screen, as a small model does. It knows the task and the actions so far from the request
--- alone.
local play = require "executor_play"
local told = require "told"

local follower = {}

local forms = {
  { '^[Cc]lick "([^"]+)"$', function(request, name)
    local words = told.words(request)
    local number = words:match('\n%[(%d+)%] [^"\n]* "' .. name:gsub("%p", "%%%0") .. '"')
      or name == "Text area" and words:match '\n%[(%d+)%] text ""'
    return number and play.action("tap", { element = math.tointeger(tonumber(number)), label = name })
      or play.action("wait", { seconds = 0.5 })
  end },
  { '^[Tt]ype "(.+)"$', function(_, text)
    return play.action("type", { text = text:gsub("\\n", "\n"):gsub('\\"', '"') })
  end },
  { "^[Pp]ress (%S+)$", function(_, key) return play.action("press_key", { key = key }) end },
}

-- The steps of a task: on lines of their own, or between commas.
local function steps_of(task)
  local list = {}
  for line in (task .. "\n"):gmatch "([^\n]*)\n" do
    local step = line:gsub("^%d+%. ", "")
    local parts = step:find '^[Cc]lick "%S*", ' and step:gsub(", then expect.*$", "") or nil
    for part in (parts and parts .. ", " or step .. "\n"):gmatch(parts and "(.-), " or "([^\n]*)\n") do
      for _, form in ipairs(forms) do
        local given = part:match(form[1])
        if given then list[#list + 1] = { form[2], given } end
      end
    end
  end
  return list
end

local acts = { tap = true, type = true, press_key = true }

-- How many of its actions have been done, as the requests tell them.
local function done(request)
  local count = 0
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      for tool, rest in (part.text or ""):gmatch "\n  T%d+: ([%w_]+)%([^\n]-%) %-> ([^\n]*)" do
        if acts[tool] and not rest:find("^ERROR") then count = count + 1 end
      end
    end
  end
  return count
end

--- What it answers.
---@param request table in OpenAI's shape
---@return table reply
function follower.answer(request)
  local task = told.words(request):match "TASK:\n(.-)\n\n"
  local step = steps_of(task)[done(request) + 1]
  if not step then return play.action("finish", { reason = "All of it was done, and the screen shows it." }) end
  return step[1](request, step[2])
end

return follower
