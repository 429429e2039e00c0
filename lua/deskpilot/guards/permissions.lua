--- Refuses an agent's acts on applications and sites that the configuration does not allow (safety.apps, safety.sites),
--- files that the mission does not name, and, without a person's yes, what safety.approve names. It is asked where an
--- act happens (desk.input), with what is there at that moment, so that it makes no difference by which tool the act
--- comes, or where a link has led meanwhile. What cannot be told counts as not allowed where there is a list.
---
--- What a mission's own functions do is the user's and is not looked at; what they have a tool do is an agent's.
local act_subject = require "deskpilot.agent.act_subject"
local approval = require "deskpilot.agent.approval"
local lists = require "deskpilot.agent.safety_lists"

-- What few runs need is loaded by those that do.
local function allowed_files() return require "deskpilot.agent.allowed_files" end

---@type deskpilot.guard
local permissions = {
  api = 1,
}

---@class deskpilot.permissions: deskpilot.approvals
---@field reason string? the agent's, for the action under way
---@field choosers deskpilot.handle?
---@field users table<deskpilot.tab, true> tabs that the mission's own code has sent somewhere since then

local function tell(run, why)
  if not why then return nil end
  why = "refused: " .. why
  run:emit("guard", { name = "permissions", message = why })
  return why
end

-- --- lists ----------------------------------------------------------------------------------------------------

local function refused_app(config, act, subject)
  if not lists.any(config, "apps") then return nil end
  if act.act == "open" then return "which application would open it cannot be told, and safety.apps is set" end
  if not subject.names or act.act == "upload" or act.act == "navigate" then return nil end
  return lists.app(config, subject.names)
end

-- Acts that lead away from a page, or are about none.
local elsewhere = { start = true, focus = true, close = true, open = true, navigate = true }

local function refused_site(config, act, subject)
  if not lists.any(config, "sites") then return nil end
  if act.act == "navigate" then return lists.site(config, act.url) end
  if act.act == "open" and act.target:find "^%a[%w+.-]+:" then return lists.site(config, act.target) end
  if elsewhere[act.act] or not subject.browser then return nil end
  return lists.site(config, subject.url)
end

local function refused_file(run, act)
  if act.act == "upload" then
    for _, path in ipairs(act.paths) do
      local ok, err = allowed_files().resolve(run, path)
      if not ok then return tostring(err) end
    end
  elseif act.act == "navigate" or act.act == "open" then
    local ok, err = allowed_files().address(run, act.url or act.target, act.act == "open")
    if not ok then return tostring(err) end
  end
end

local function refused(run, act, subject)
  return refused_app(run.config, act, subject) or refused_site(run.config, act, subject) or refused_file(run, act)
end

-- --- a person's yes -------------------------------------------------------------------------------------------

-- Whoever has answered at the same desktop has taken the keyboard to the terminal with the question.
local function bring_back(run, before)
  local now = run.desk.windows.active()
  if before and now and now.id ~= before.id then run.desk.windows.focus(before.id) end
end

-- Where no list and no approval is in force, nobody wants to know what the act is about.
local function look(run, act)
  local config = run.config
  local sites = lists.any(config, "sites")
  if not sites and not lists.any(config, "apps") and not next(approval.wanted(config)) then return {} end
  local subject = act_subject.of(run, act, function(names) return not lists.app(config, names) end,
    sites or approval.wants_page(config, act))
  if approval.wants_element(config, act) then act_subject.find_element(run, act, subject) end
  return subject
end

-- Nothing of what the mission's hook or we ourselves do for the question is the agent's.
local function ask(run, kind, act, subject)
  local before = run.desk.windows.active()
  run.acting = false
  local restore <close> = setmetatable({}, { __close = function() run.acting = true end })
  assert(restore)
  local why = approval.ask(run, kind, act, subject, run.permissions, run.permissions.reason)
  if not why then bring_back(run, before) end
  return why
end

-- The tab in whose page something is done; any other act may be one on the browser itself.
local function page_of(act)
  return (act.act == "page" or act.act == "point") and act.tab or nil
end

local function judge(run, act)
  if not run.acting then return nil end
  run.desk.browser.judge_loading(page_of(act))
  local subject = look(run, act)
  local why = refused(run, act, subject)
  if why then return why end
  local kind = approval.missing(run.config, act, subject, run.permissions)
  while kind do
    local words = approval.words(act, subject)
    why = ask(run, kind, act, subject)
    if why then return why end
    act.said = nil -- before the question
    subject = look(run, act)
    why = refused(run, act, subject)
    if not why and approval.words(act, subject) ~= words then
      why = "what is there has changed while a person was asked; look again"
    end
    if why then return why end
    kind = approval.missing(run.config, act, subject, run.permissions)
  end
end

-- --- events ---------------------------------------------------------------------------------------------------

-- Whether an agent is or was at work: what a page loads by itself may be of its doing.
local function is_agents(run)
  return not run.outcome and (run.mission.task ~= nil or run.actions > 0)
end

-- A document that a tab is about to load.
local function refused_load(run, url, tab)
  if not is_agents(run) or run.permissions.users[tab] then return nil end
  local why = lists.site(run.config, url)
  if not why then
    local ok, err = allowed_files().address(run, url)
    why = not ok and tostring(err) or nil
  end
  if why then run:inform(("the page wanted to go elsewhere, and was kept where it is: %s"):format(why)) end
  return why
end

local function act_of(run, act)
  if not run.acting and act.act == "navigate" and act.tab then run.permissions.users[act.tab] = true end
  return tell(run, judge(run, act))
end

function permissions.run_start(run)
  run.permissions = { action = {}, run = {}, users = setmetatable({}, { __mode = "k" }) }
  local filter = run.desk.input.add_filter {
    act = function(act) return act_of(run, act) end,
    keys = function(down) return tell(run, judge(run, { act = "keys", keys = down })) end,
    text = function(words, _, entered) -- what is entered is an act on an element or a page
      return not entered and tell(run, judge(run, { act = "text", words = words })) or nil
    end,
    navigation = function(url, tab) return tell(run, refused_load(run, url, tab)) end,
    web = function() return lists.any(run.config, "sites") end, -- or else only files are judged
  }
  run:on_close(function() filter.remove() end)
  run.desk.browser.judge_loading()
  for _, words in ipairs(lists.in_force(run.config)) do run:note(words) end
end

-- From an agent's first action on, no browser opens a dialog for files: what is typed into one is not known here.
local function keep_choosers(run)
  if run.permissions.choosers then return end
  run.permissions.choosers = run.desk.input.add_filter { chooser = function()
    run:inform "the page asks for a file: give it one by the tool browser_upload; no dialog was opened"
    return "a page gets its files by browser_upload"
  end }
  run:on_close(run.permissions.choosers.remove)
  run.desk.browser.judge_loading()
end

-- What was allowed for one action is not allowed for the next.
function permissions.action(run, action)
  local kept = run.permissions
  local justification = type(action.args) == "table" and action.args.justification
  kept.action, kept.reason = {}, type(justification) == "string" and justification or action.why
  kept.users = setmetatable({}, { __mode = "k" })
  keep_choosers(run)
end

return permissions
