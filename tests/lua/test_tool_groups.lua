--- Tools in groups and scopes, tools that come and go in a run, their time limits, and what they may return.
local t = require "harness"
local configured = require "configured"
local json = require "deskpilot.base.json"
local native = require "native.image"
local null_run = require "null_run"
local persona = require "deskpilot.agent.persona"
local task = require "deskpilot.base.task"
local toolbox = require "deskpilot.agent.toolbox"

local tests = {}

local function shipped(flags)
  local config = t.ok(configured.resolve { flags = flags })
  local _, tools = configured.settings()
  return t.ok(toolbox.new(tools, config)), config
end

local function tool(name, fields)
  local made = { name = name, description = "d", parameters = { type = "object", properties = {} },
    run = function() return "done by " .. name end }
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

local function joined(box) return table.concat(box:names(), " ") end

function tests.every_shipped_tool_has_a_group()
  local box = shipped()
  for _, name in ipairs(box:names()) do
    t.ok(box:get(name).group ~= "user", name .. " is in no group")
    t.ok(not box:get(name).looks or box:get(name).acts == false, name .. " looks and acts")
  end
end

function tests.a_scope_has_groups_and_names_and_no_other()
  local box = shipped()
  local some = box:scope { groups = { "typing" }, names = { "wait" } }
  t.eq(joined(some), "press_key type_text wait")
  t.eq(some:get("click_element"), nil)
  local _, err = some:validate("click_element", { label = "x" })
  t.eq(err.code, "refused")
  t.eq(tostring(err), "click_element is not among the tools that may be used here: press_key, type_text and wait")
  t.fails("refused", "not among the tools", some:run("click_element", {}, {}))
  t.fails("refused", "not among the tools", some:check("click_element", {}, {}))
  t.fails("not_found", "there is no tool", some:validate("fly", {}))
  t.eq(joined(some:scope { names = { "wait", "click_element" } }), "wait", "a scope of a scope has no more")
end

function tests.a_goal_may_have_some_tools_only()
  local box = shipped()
  t.eq(joined(t.ok(box:only { "wait", "typing" })), "give_up press_key report_completion type_text wait")
  t.fails("not_found", 'there is no tool "type_txt" here', box:only { "type_txt" })
  t.fails("not_found", 'there is no tool "wait" here', t.ok(box:only { "typing" }):only { "wait" })
end

function tests.a_scope_that_reads_only_refuses_what_acts_whatever_the_prompt_says()
  local tried
  null_run.play({ task = "x" }, { turn = function(run)
    local reading = run.toolbox:scope { reads_only = true }
    t.eq(joined(reading), "browser_read calculate check_page_ready extract_data inspect_page look_closely mcp_read "
      .. "mcp_resources recall recall_history refresh_som_markers take_screenshot verify_action_result "
      .. "view_previous_screenshot")
    run.desk.keyboard = setmetatable({ press = function() tried = true return true end },
      { __index = run.desk.keyboard })
    local result = run:act { tool = "press_key", args = { key = "a" }, why = "because", toolbox = reading }
    t.eq({ result.ok, result.code }, { false, "refused" })
    t.has(result.text, "press_key is not among the tools that may be used here, which only read: browser_read, ")
    t.ok(not tried, "no key was pressed")
    t.ok(run:act { tool = "press_key", args = { key = "a" }, why = "because" }.ok)
    t.ok(tried)
    run:stop("succeeded", "seen")
  end })
end

function tests.a_new_group_is_offered_to_nobody_that_does_not_name_it()
  null_run.play({ task = "x" }, { flags = { ["tools.offer"] = "memory,zeta" }, turn = function(run)
    t.ok(run.toolbox:add(tool("note_down", { group = "memory" })))
    t.ok(run.toolbox:add(tool("zeta", { group = "letters" })))
    t.ok(run.toolbox:add(tool("eta", { group = "letters" })))
    t.ok(run.toolbox:add(tool("mine")))
    t.eq(joined(persona.toolbox(run, { "typing", "user" })),
      "memorize mine note_down press_key recall remember type_text zeta")
    run:stop("succeeded", "seen")
  end })
end

-- What the two policies offer: their own groups, a tool of the user's without one, and nothing else.
function tests.what_personas_are_told()
  for _, policy in ipairs { "three_body", "odev" } do
    local prompts = {}
    null_run.play({ task = "x", policy = policy, before_run = function(m)
      t.ok(m.toolbox:add(tool("mine", { description = "Do what I want." })))
      t.ok(m.toolbox:add(tool("secret", { group = "files" })))
    end }, { flags = { ["limits.turns"] = 1 }, model = function(request)
      prompts[#prompts + 1] = json.encode(request.messages) .. json.encode(request.tools or {})
      return null_run.calls({}, "no")
    end })
    local all = table.concat(prompts)
    t.has(all, "mine")
    t.ok(not all:find("secret", 1, true), policy .. " was told of a tool of a group that it does not offer")
    t.eq(all:find("look_closely", 1, true) ~= nil, policy == "three_body")
  end
end

function tests.tools_come_and_go_in_a_run()
  local _, events = null_run.play({ task = "x" }, { turn = function(run)
    local box = run.toolbox
    t.ok(box:scope { groups = { "user" } }:add(tool("later")))
    t.eq(box:scope({ groups = { "user" } }):names(), { "later" })
    t.eq(run:act({ tool = "later", args = {}, why = "w" }).text, "done by later")
    local first = box:definitions { "later" }[1]
    t.eq(box:definitions({ "later" })[1], first, "made once")
    t.ok(box:add(tool("later", { description = "another" })), "one that was added may be replaced")
    t.has(json.encode(box:definitions { "later" }), '"description":"another"')
    t.fails("invalid", 'there is a tool "press_key" already', box:add(tool "press_key"))
    t.fails("invalid", "needs a name", box:add(tool "no name"))
    t.fails("invalid", "has parameters that cannot be used", box:add(tool("bad", { parameters = { typ = "object" } })))
    t.fails("invalid", "has timeout = -1", box:add(tool("bad", { timeout = -1 })))
    t.ok(box:remove "later")
    t.eq(box:get "later", nil)
    t.fails("not_found", "no tool", box:remove "later")
    t.eq(run:act({ tool = "later", args = {} }).code, "not_found")
    run:stop("succeeded", "seen")
  end })
  local changes = {}
  for i, event in ipairs(null_run.only(events, "tools_changed")) do changes[i] = { event.added, event.removed } end
  t.eq(changes, { { { "later" } }, { { "later" } }, { nil, { "later" } } })
end

-- The Executor goes on with what is left.
function tests.a_tool_that_goes_ends_no_phase()
  local offered, n = {}, 0
  null_run.play({ task = "x", policy = "three_body", before_run = function(m) m.toolbox:add(tool "mine") end,
    turn_end = function(m) m.toolbox:remove "mine" end }, { flags = { ["limits.turns"] = 2 },
    model = function(request)
      local names = {}
      for i, one in ipairs(request.tools) do names[i] = one["function"].name end
      if names[1] == "write_doctrine" then return null_run.calls({}, "plan") end
      if names[1] == "spawn_executor_prompt" then
        return null_run.calls { { "spawn_executor_prompt", { prompt = "p", phase = "EXECUTION", rationale = "r" } },
          { "update_phase_tools", { tool_names = { "mine", "press_key" }, rationale = "r" } } }
      end
      n = n + 1
      offered[n] = names
      return null_run.calls { { n == 1 and "mine" or "press_key", { justification = "j", key = "a" } } }
    end })
  t.eq(offered, { { "mine", "press_key" }, { "press_key" } })
end

function tests.a_tool_has_no_more_time_than_it_says()
  null_run.play({ task = "x" }, { turn = function(run)
    t.ok(run.toolbox:add(tool("slow", { timeout = 0.2, run = function() task.sleep(30) end })))
    t.ok(run.toolbox:add(tool("busy", { timeout = 0.2, run = function() while true do end end })))
    t.ok(run.toolbox:add(tool("quick", { timeout = 30 })))
    for _, name in ipairs { "slow", "busy" } do
      local began = task.now()
      local result = run:act { tool = name, args = {}, why = "w" }
      t.eq(result.code, "timed_out")
      t.has(result.text, name .. " was stopped after 0.2 s, its time limit")
      t.ok(task.now() - began < 10, task.now() - began)
    end
    t.eq(run:act({ tool = "quick", args = {}, why = "w" }).text, "done by quick")
    run:stop("succeeded", "seen")
  end })
end

-- Data is for the journal and for scripts; a picture goes with the next request for an action, once.
function tests.a_tool_returns_text_data_and_pictures()
  local sent = {}
  local png = native.base64(t.ok(native.new(8, 8)):png())
  local _, events = null_run.play({ task = "x" }, { model = function(request)
    sent[#sent + 1] = request.messages[2].content
    return null_run.calls({}, "ok")
  end, turn = function(run)
    t.ok(run.toolbox:add(tool("chart", { run = function()
      return { text = "a chart", data = { total = 7 }, pictures = { { base64 = png, mime = "image/png" },
        { base64 = "?", mime = "image/png" }, { base64 = png, mime = "text/html" } } }
    end })))
    local result = run:act { tool = "chart", args = {}, why = "w" }
    t.has(result.text, "a chart (its picture 2 could not be used: ")
    t.has(result.text, '(its picture 3 could not be used: a picture of the type "text/html" cannot be sent')
    t.eq({ result.data, #result.pictures }, { { total = 7 }, 1 })
    for _ = 1, 2 do run:ask { system = "s", text = "t", acts = true } end
    run:ask { system = "s", text = "t", acts = true, image = false }
    run:stop("succeeded", "seen")
  end })
  local event = null_run.only(events, "action_result")[1]
  t.eq(event.data, { total = 7 })
  t.eq(event.pictures, { "screenshots/action_0001_1.png" })
  t.eq({ #sent[1], #sent[2], #sent[3] }, { 4, 2, 1 }, "the text, the caption, its picture, the screen")
  t.eq({ sent[1][2].text, sent[1][3].base64 }, { "A picture that chart has given:", png })
end

return tests
