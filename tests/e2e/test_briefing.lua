--- What each of the three personas is told, as it goes over the wire: the tools, the orders, the fixed frame, and an
--- order that leaves the beginning of a request as it was.
local t = require "harness"
local configured = require "configured"
local model_server = require "model_server"
local play = require "three_body_play"

local tests = {}

local doctrine = function() return play.doctrine { 'The display shows "77".' } end
local each_turn = { "--set", "three_body.tactician_interval=1" }

local function press_nothing(n)
  return model_server.reply_tool("press_key", { key = n % 2 == 0 and "shift" or "ctrl",
    justification = "The calculator is in front; a key that changes nothing shows whether it takes keys at all." })
end

function tests.who_plans_is_told_every_tool()
  local played = play.play { turns = 1, strategist = doctrine,
    tactician = function() return play.orders("EXECUTION", { "press_key" }) end,
    executor = function(_, n) return press_nothing(n) end }
  local _, all = configured.defaults()
  local box = all:scope { groups = require("deskpilot.policies.three_body").tools }
  for _, who in ipairs { "strategist", "tactician" } do
    local system = play.words(played:asked(who)[1])
    for _, name in ipairs(box:names()) do
      local line = t.ok(system:match("\n(%- " .. name .. ": [^\n]+)"), ("the %s is not told of %s"):format(who, name))
      t.ok(box:get(name).description:gsub("%s+", " "):find(line:match(": (.*)$"):gsub("%.%.%.$", ""), 1, true), line)
    end
    t.ok(not system:find("{{", 1, true), "every place of the prompt is filled in")
  end
end

function tests.the_tactician_is_told_its_last_orders_and_the_tools_of_now()
  local played = play.play { turns = 2, strategist = doctrine, flags = each_turn,
    tactician = function(_, n)
      if n > 1 then return model_server.reply_text "All is well." end
      return play.orders("EXECUTION_KEYS", { "press_key", "scroll_up" }, "Press the keys that change nothing.")
    end,
    executor = function(_, n) return press_nothing(n) end }
  local requests = played:asked "tactician"
  local _, first = play.words(requests[1])
  t.ok(not first:find("YOUR LAST ORDERS", 1, true), first)
  local _, second = play.words(requests[2])
  t.has(second, "CURRENT PHASE: EXECUTION_KEYS")
  t.has(second, "THE EXECUTOR'S TOOLS NOW: press_key, scroll_up\n")
  t.has(second, "YOUR LAST ORDERS TO THE EXECUTOR:\nPress the keys that change nothing.\n")
end

function tests.the_executors_orders_stand_in_a_fixed_frame()
  local orders = "Press the keys that change nothing. Use {{tools}} and 100 %d of them."
  local played = play.play { turns = 1, strategist = doctrine,
    tactician = function() return play.orders("EXECUTION", { "press_key" }, orders) end,
    executor = function(_, n) return press_nothing(n) end }
  local system = play.words(played:asked("executor")[1])
  t.has(system, "You are the EXECUTOR.")
  t.has(system, "exactly ONE tool")
  t.has(system, "0 (left edge of the screenshot) to 1000 (right edge)")
  t.has(system, "Look at the screenshot and the list of elements first.")
  t.has(system, "justification")
  local before, sentence = system:match "^(.*)\n\n(What stands between [^\n]*)$"
  t.ok(sentence, "what text from outside is stands at the end")
  t.eq(before:sub(-#orders), orders, "they are the last before it, and as they were given")
end

-- Where two texts begin to differ.
local function common_length(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return i - 1 end
  end
  return math.min(#a, #b)
end

function tests.the_beginning_of_a_request_stays_as_it_was()
  local played = play.play { turns = 4, strategist = doctrine, flags = each_turn,
    tactician = function(_, n)
      return n == 1 and play.orders("EXECUTION", { "press_key" }) or model_server.reply_text "All is well."
    end,
    executor = function(_, n) return press_nothing(n) end }
  for _, who in ipairs { "tactician", "executor" } do
    local requests = played:asked(who)
    for n = 3, #requests do -- from the second on there are orders, and a history that grows
      local system, words = play.words(requests[n])
      local system_before, words_before = play.words(requests[n - 1])
      t.eq(system, system_before, who .. "'s system prompt")
      t.eq(requests[n].tools, requests[n - 1].tools)
      local same = common_length(words, words_before)
      local history, screen = words_before:find("RECENT ACTIONS:", 1, true), words_before:find("SCREEN:", 1, true)
      t.ok(history and screen and history < screen, "what has been done stands before what changes with every turn")
      t.ok(same >= screen - 3, ("request %d of the %s differs after %d of %d characters, at: %s"):format(n, who, same,
        #words, words:sub(same, same + 60)))
    end
  end
end

return tests
