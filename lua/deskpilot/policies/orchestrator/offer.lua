--- What the agent is offered: the tools of its commands, and those that give information.
local persona = require "deskpilot.agent.persona"

local offer = {}

--- The groups and names of the tools that commands may use. `extract_data` gives information, and may follow on
--- commands that bring what it reads.
offer.commands = { "pointing", "typing", "browser", "apps", "waiting", "exploring", "user", "extract_data" }

-- What explores changes nothing: it looks, scrolls, goes back, and remembers.
local exploring = { "exploring", "waiting", "remember", "extract_data", "browser_back", "browser_forward",
  "browser_scroll", "scroll_down", "scroll_up", "focus_window" }

-- What the instructions say of a mode besides.
local words = { work = "",
  repair = "\n- You go over an earlier run: STEPS OF THE EARLIER RUN has what was done and what came of it. Do again "
    .. "what worked, as far as the screen needs it, and find another way where it failed.",
  explore = "\n- You only explore: the goal is to know, and nothing is to be changed. Use `explore` and scroll. Keep "
    .. "what you find with `remember`, under names such as menu.File, and what later runs should know with `learned`. "
    .. "Say `complete` when what the goal names is known." }

--- What the instructions say of the run's mode.
---@param run deskpilot.run
---@return string
function offer.words(run)
  return words[run.config:get "orchestrator.mode"]
end

-- Of a group that is offered otherwise too.
local information_groups = { "information" }

--- The tools that commands may use.
---@param run deskpilot.run
---@return deskpilot.toolbox
function offer.toolbox(run)
  return persona.toolbox(run, run.config:get "orchestrator.mode" == "explore" and exploring or offer.commands)
end

-- With a page in front, those that point at the desktop only are not described: they can be used all the same.
local on_desktop = { drag_element = true, double_click_element = true, right_click_element = true, scroll_down = true,
  scroll_up = true }

--- The names of the tools for commands that are described now: without a page those for pages have nothing to act on.
---@param run deskpilot.run
---@param box deskpilot.toolbox
---@return string[]
function offer.fitting(run, box)
  local names, page = {}, run.observation.page ~= nil
  for _, name in ipairs(box:names()) do
    local of_page = box:get(name).group == "browser" and name ~= "browser_open"
    if not (page and on_desktop[name] or not page and of_page) then names[#names + 1] = name end
  end
  return names
end

--- The names of the tools that give information, without those that are withheld in this iteration.
---@param run deskpilot.run
---@return string[]
function offer.information(run)
  local names, withheld = {}, run.state.withheld or {}
  for _, name in ipairs(run.toolbox:scope { groups = information_groups }:names()) do
    if not withheld[name] then names[#names + 1] = name end
  end
  return names
end

return offer
