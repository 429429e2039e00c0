-- What cannot be undone is done only when the journal that tells of it is on the disk.
local t = require "harness"
local configured = require "configured"
local null_run = require "null_run"
local toolbox = require "deskpilot.agent.toolbox"

local tests = {}

function tests.which_calls_of_the_shipped_tools_last()
  local _, tools = configured.settings()
  local by_name = {}
  for _, entry in ipairs(tools) do by_name[entry.name] = entry.plugin end
  local function lasts(name, args) return toolbox.lasts(t.ok(by_name[name], name), args) end
  for _, key in ipairs { "enter", "Return", "kp_enter", "ctrl+Enter", "delete", "shift + delete", "alt+F4", "ctrl+w",
    "ctrl+q" } do t.eq(lasts("press_key", { key = key }), true, key) end
  for _, key in ipairs { "a", "tab", "ctrl+s", "f5", "w", "page_down" } do
    t.eq(lasts("press_key", { key = key }), false, key)
  end
  for _, name in ipairs { "type_text", "browser_type" } do
    t.eq({ lasts(name, { text = "a line" }), lasts(name, { text = "sent\n" }) }, { false, true }, name)
  end
  t.eq({ lasts("browser_dialog", { accept = true }), lasts("browser_dialog", { accept = false }) }, { true, false })
  t.eq({ lasts("browser_tab", { action = "close" }), lasts("browser_tab", { action = "new" }) }, { true, false })
  t.eq({ lasts("browser_upload", {}), lasts("click_element", {}), lasts("wait", {}) }, { true, false, false })
end

function tests.a_dangerous_tool_lasts_and_so_does_one_that_cannot_tell()
  t.eq(toolbox.lasts(nil, {}), false)
  t.eq(toolbox.lasts({ dangerous = true }, {}), true)
  t.eq(toolbox.lasts({ dangerous = function() return false end }, {}), false)
  t.eq(toolbox.lasts({ lasting = function(args) return args.no.such end }, {}), true)
end

-- Plays two acts of a tool that lasts where it is told to, with a journal that says when it was secured.
local function play(secure)
  local course = {}
  local run, events = null_run.play({ task = "x" }, { turn = function(run)
    local real = run.journal.secure
    run.journal = { secure = function()
      course[#course + 1] = "secured"
      real()
      if secure then secure() end
    end }
    run.toolbox:add { name = "send", description = "Sends it.", parameters = { type = "object", properties = {
      now = { type = "boolean" } } }, lasting = function(args) return args.now end,
      run = function(_, args)
        course[#course + 1] = args.now and "sent" or "saved"
        return "done"
      end }
    for _, now in ipairs { false, true } do run:act { tool = "send", args = { now = now }, why = "it has to be" } end
    run:stop("failed", "that was all")
  end })
  return course, null_run.only(events, "action_result"), run
end

function tests.the_journal_is_on_the_disk_before()
  local course, results = play()
  t.eq(course, { "saved", "secured", "sent" })
  t.eq({ results[1].ok, results[2].ok }, { true, true })
end

function tests.where_it_cannot_be_nothing_is_done()
  local course, results = play(function() error("cannot write journal.jsonl: EIO: i/o error", 0) end)
  t.eq(course, { "saved", "secured" })
  t.eq({ results[1].ok, results[2].ok, results[2].code }, { true, false, "io" })
  t.has(results[2].text, "not done, because cannot write journal.jsonl")
end

return tests
