--- The mission `checkout`, end to end: five goals in a real Chromium, of which the last needs what the fourth has read;
--- by the embedded `literal` and by a scripted model over HTTP. Judged by what the shop was sent. And a list of goals
--- that cannot be reached.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local odev_play = require "odev_play"
local play = require "orchestrator_play"
local spawn = require "spawn"

local tests = {}

local function check_shop(folder, run_dir)
  local record = json.decode(files.read(files.join(run_dir, "shop.json")) or "") or {}
  t.eq(#(record.orders or {}), 1, json.encode(record))
  local order = (record.orders or {})[1] or {}
  t.eq({ order.lines, order.street, order.town }, { { chart = 2, compass = 1 }, "12 Quay Lane", "Bergen" })
  t.eq({ order.found, order.wrapped }, { 1, true }, "it was found by its number, and wrapped")
  t.eq(record.refused, {}, "the shop had nothing to refuse in " .. folder)
  return order
end

function tests.by_literal()
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "run", "checkout", "--json", "--model", "literal" },
    { cwd = folder, env = { TMPDIR = folder } })
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "succeeded", child.stderr)
  check_shop(folder, files.join(folder, result.run_dir or ""))
  local account = result.task_result or { goals = {}, targets = {} }
  t.eq(#account.goals, 5)
  for i, goal in ipairs(account.goals) do t.eq(goal.reached, true, "goal " .. i) end
  t.eq(account.targets.command_success, { value = 1, above = 0.8, met = true })
  t.eq(child:left(), {}, "processes left behind")
  files.remove(folder)
end

-- What a goal needs, by what its page shows: the commands, and whether it is reached then.
local function of_page(request, words)
  local function click(role, name) return { "browser_click", { index = play.index(request, role, name) } } end
  local function fill(name, value)
    return { "browser_type", { index = play.index(request, "textbox", name), text = value } }
  end
  local goal = words:match "CURRENT GOAL %((%d) of 5%)"
  if goal == "1" then return { fill("Name", "ada"), fill("Password", "harbour"), click("button", "Sign in") } end
  if goal == "2" then
    return { fill("Sea chart, 24.50 euro", "2"), fill("Compass, 69.00 euro", "1"),
      click("button", "Put into the basket") }
  end
  if goal == "3" and play.index(request, "link", "Go to the checkout") then
    return { click("link", "Go to the checkout") }
  end
  if goal == "3" then
    return { fill("Street", "12 Quay Lane"), fill("Town", "Bergen"), click("button", "Place the order") }
  end
  if play.index(request, "button", "Wrap it as a gift") then return { click("button", "Wrap it as a gift") } end
  if play.index(request, "textbox", "Order number") then
    return { fill("Order number", "${order}"), click("button", "Find") }
  end
  return { click("link", "Find an order") }
end

-- A line of the page by which each goal is known to be reached.
local done = { "| Signed in as ada", "| Total: 118.00 euro", "| Your order was received.", nil,
  "| It will be wrapped as a gift." }

local function agent(request)
  local words = play.words(request)
  local number = tonumber(words:match "CURRENT GOAL %((%d) of 5%)")
  t.has(words, "OVERALL GOAL:\nBuy two sea charts")
  if number == 4 then
    if #play.results(request) == 0 and not words:find("${order} = HC-", 1, true) then
      return play.ask { "extract_data", { name = "order", after = "Order number:" } }
    end
    return play.decide { status = "complete", status_why = "The number is kept." }
  end
  if done[number] and words:find(done[number], 1, true) then
    return play.decide { status = "complete", status_why = "The page says it." }
  end
  if number == 5 then t.has(words, "GOALS REACHED:\n1. ") end
  return play.decide { commands = of_page(request, words) }
end

function tests.by_a_scripted_model()
  local played = play.play { file = "checkout", agent = agent }
  t.eq(played.result.status, "succeeded", played.result.reason)
  local order = check_shop(played.folder, played.run_dir)
  local values = played:all "memory"
  t.eq({ values[1].name, values[1].value, #values }, { "order", order.number, 1 })
  local ends, largest = played:all "goal_end", 0
  for i, event in ipairs(ends) do
    t.eq({ event.goal, event.status == "succeeded" or event.status == "claimed" }, { "1." .. i, true }, event.reason)
  end
  t.eq({ #ends, ends[3].status, ends[4].status }, { 5, "succeeded", "succeeded" }, "two have a check of their own")
  for _, event in ipairs(played:all "iteration") do largest = math.max(largest, event.sizes.all) end
  t.ok(largest < 3600, "the largest context has " .. largest .. " tokens")
  local last = played.requests[#played.requests]
  t.has(play.words(last), "EARLIER: ", "the journey is one, and what is older is told in a summary")
  t.has(play.words(last), "${order} = " .. order.number)
  t.has(play.words(last):match "CURRENT GOAL %(5 of 5%):\n[^\n]*", '"${order}"', "its words stay the mission's")
  played:close()
end

-- --- lists that fail ----------------------------------------------------------------------------------------

local function list(goals) return odev_play.question .. "goals = { " .. goals .. " }," end

local function complete() return play.decide { status = "complete", status_why = "I say so." } end

function tests.a_goal_that_needs_what_nobody_has_read_is_not_begun()
  local played = play.play { mission = list [["First.", "Look for ${number}."]], agent = complete }
  t.eq(played.result.status, "failed")
  t.eq(played.result.reason, "goal 2 of 2 (Look for ${number}.): it needs ${number}, which no goal before it has "
    .. "extracted")
  t.eq(#played.requests, 1)
  played:close()
end

function tests.a_goal_that_is_not_reached_ends_the_list()
  local played = play.play { agent = complete, flags = { "--accept-claims" }, mission = list [["First.",
    { goal = "Second.", verify = function() return false, "nothing has changed" end }, "Third."]] }
  t.eq(played.result.status, "failed")
  t.has(played.result.reason, "goal 2 of 3 (Second.): 2 iterations in a row failed")
  t.has(played.result.reason, "nothing has changed")
  local account = played.result.task_result
  t.eq({ account.goals[1].reached, account.goals[2].reached, account.goals[3] }, { true, false, nil })
  t.eq(#played.requests, 3)
  played:close()
end

function tests.a_slip_in_the_list_is_found_before_anything_is_done()
  for goals, why in pairs { ['"First.", 7'] = "goals must be a list of texts, or of tables",
    ['{ gaol = "First." }'] = "goals[1]: achieve knows no \"gaol\"", ['{ verify = print }'] = "goals[1]: " } do
    local folder = spawn.folder()
    assert(files.write(folder .. "/m.lua", 'return { task = "x", goals = { ' .. goals .. " } }"))
    local child = spawn.run { spawn.program, "run", folder .. "/m.lua", "--model", "literal" }
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, why)
    files.remove(folder)
  end
end

return tests
