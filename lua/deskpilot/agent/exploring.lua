--- Acts that are only to find something out: the screen is compared before and after, and where the act has led
--- elsewhere (another page, a window, a tab, a question of the page) it is undone where that can be done.
local differences = require "deskpilot.agent.differences"
local observation = require "deskpilot.agent.observation"
local screen_state = require "deskpilot.agent.screen_state"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local viewpoint = require "deskpilot.agent.viewpoint"

local exploring = {}

local longest = 1500 -- characters of what is told of the changes
local patience = 5 -- seconds for what is undone to be as it was

---@class deskpilot.exploring.before
---@field state deskpilot.screen_state
---@field tab deskpilot.tab?
---@field url string?
---@field tabs table<deskpilot.tab, true> those that were open
---@field seen deskpilot.observation?

local function tabs_of(tab)
  local open = {}
  for _, other in ipairs(tab and tab.browser:tabs() or {}) do open[other] = true end
  return open
end

--- What is compared afterwards.
---@param ctx deskpilot.tool_context
---@return deskpilot.exploring.before
function exploring.before(ctx)
  local state = screen_state.now(ctx.run)
  local tab = observation.tab(ctx.desk, state.window)
  return { state = state, tab = tab, url = tab and tab.url, tabs = tabs_of(tab), seen = ctx.observation }
end

-- Each finds something that nobody meant to happen, and undoes it. Gives what it was and whether it could be undone;
-- nothing where it has not happened.
local surprises = {}

function surprises.question(_, before)
  local dialog = before.tab and before.tab:dialog()
  if not dialog then return nil end
  local ok = before.tab:dismiss_dialog()
  return ("a question of the page (%s)"):format(text.cut(text.one_line(tostring(dialog.message)), 80)), ok ~= nil
end

function surprises.tab(_, before)
  if not before.tab then return nil end
  for _, tab in ipairs(before.tab.browser:tabs() or {}) do
    if not before.tabs[tab] then
      local where = text.cut(tab.url, 100)
      local ok = tab:close() and before.tab:activate()
      return "a new tab, " .. where, ok ~= nil and ok ~= false
    end
  end
end

function surprises.page(_, before)
  local tab = before.tab
  if not tab or tab.closed or tab.url == before.url then return nil end
  local where = text.cut(tab.url, 100)
  local ok = tab:back()
  return "another page, " .. where, ok ~= nil and tab.url == before.url
end

-- A window that came up and has a frame: menus and tool tips are what is looked for.
function surprises.window(ctx, before)
  local known = {}
  for _, window in ipairs(before.state.windows or {}) do known[window.id] = true end
  local active = ctx.desk.windows.active()
  if not active or known[active.id] or before.state.window and active.id == before.state.window.id then return nil end
  local ok = ctx.desk.windows.close(active, { wait = patience })
  if ok and before.state.window then ctx.desk.windows.focus(before.state.window) end
  return ("a window, %q"):format(text.cut(text.one_line(active.title), 80)), ok ~= nil
end

local order = { "question", "tab", "page", "window" }

-- The page may take a moment until it is on its way.
local function find_surprises(ctx, before)
  local list, undone = {}, true
  for _, name in ipairs(order) do
    local what, ok = surprises[name](ctx, before)
    if what then
      list[#list + 1] = ("%s (%s)"):format(what, ok and "undone" or "it could NOT be undone")
      undone = undone and ok
    end
  end
  return list, undone
end

-- What is different on the screen, for who was told the look before.
local function changes(ctx, before)
  if not before.seen then return "" end
  local now = observation.take(ctx.desk, ctx.run.encoder, ctx.config, { before = before.seen, task = ctx.run.task,
    size = viewpoint.largest(ctx.run) })
  if not now then return "" end
  return "\n" .. text.cut(differences.describe(before.seen, now, "words"), longest)
end

--- What came of an act, in words. Something unexpected has been undone by then, or is told as what could not be.
---@param ctx deskpilot.tool_context
---@param before deskpilot.exploring.before
---@return string words
function exploring.after(ctx, before)
  ctx.desk.settle {}
  local tab = before.tab
  local limit = task.now() + patience
  while tab and not tab.closed and tab.loading and not tab:dialog() and task.now() < limit do task.sleep(0.02) end
  local list, undone = find_surprises(ctx, before)
  local seen = #list == 0 and changes(ctx, before)
  -- What is told must not show something that came after it was looked for.
  if seen then list, undone = find_surprises(ctx, before) end
  if #list == 0 then return "nothing was left by it" .. seen end
  local words = ("UNEXPECTED: it led to %s"):format(text.join(list))
  ctx.run:emit("guard", { name = "exploring", message = words })
  if not undone then return words end
  ctx.desk.settle {}
  return words .. changes(ctx, before)
end

return exploring
