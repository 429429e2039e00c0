--- What each of the three personas is told, as it goes over the wire: the tools, the orders, the fixed frame, and an
--- order that leaves the beginning of a request as it was.
local t = require "harness"
local configured = require "configured"
local json = require "deskpilot.base.json"
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
      t.ok((system .. "\n"):find("%f[%w_]" .. name .. "%f[^%w_]"), ("the %s is not told of %s"):format(who, name))
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
  local system, words = play.words(played:asked("executor")[1])
  t.has(system, "You are the EXECUTOR.")
  t.has(system, "exactly ONE tool")
  t.has(system, "0 (left edge of the screenshot) to 1000 (right edge)")
  t.has(system, "Look at the screen first.")
  t.has(system, "justification")
  t.ok(system:match "\n\nWhat stands between [^\n]*$", "what text from outside is stands at the end")
  t.has(words, "YOUR ORDERS FOR THIS PHASE:\n" .. orders .. "\n", "as they were given")
  t.ok(not system:find(orders, 1, true), "the system prompt is the same in all phases")
end

-- A request as one text: what servers keep of it is its beginning.
local function as_text(request)
  local parts = { json.encode(request.tools) }
  for _, message in ipairs(request.messages) do
    local content = message.content
    for _, part in ipairs(type(content) == "table" and content or { { text = content } }) do
      parts[#parts + 1] = part.text or part.image_url.url
    end
  end
  return table.concat(parts)
end

function tests.a_request_goes_on_from_the_one_before()
  local played = play.play { turns = 4, strategist = doctrine, flags = each_turn,
    tactician = function(_, n)
      return n == 1 and play.orders("EXECUTION", { "press_key" }) or model_server.reply_text "All is well."
    end,
    executor = function(_, n) return press_nothing(n) end }
  for _, who in ipairs { "tactician", "executor" } do
    local requests = played:asked(who)
    t.eq(#requests, 4)
    for n = 2, #requests do
      local before, now = as_text(requests[n - 1]), as_text(requests[n])
      t.eq(now:sub(1, #before), before, ("request %d of the %s begins as the one before"):format(n, who))
      local new = now:sub(#before + 1)
      t.has(new, "DONE SINCE THEN:")
      t.has(new, ("TURN: %d of 4"):format(n))
      t.ok(not new:find("ELEMENTS", 1, true), "the list is not told again")
      t.ok(not new:find("MISSION", 1, true) and not new:find("DOCTRINE", 1, true), "nor what stays the same")
    end
  end
end

function tests.one_look_a_request_where_it_is_configured()
  local played = play.play { turns = 2, strategist = doctrine, flags = { "--set", "observe.looks=1" },
    tactician = function() return play.orders("EXECUTION", { "press_key" }) end,
    executor = function(_, n) return press_nothing(n) end }
  local requests = played:asked "executor"
  for _, request in ipairs(requests) do
    t.eq(#request.messages[2].content, 2, "words and the screenshot")
    t.has(select(2, play.words(request)), "ELEMENTS (number")
  end
end

return tests
