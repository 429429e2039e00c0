--- Which tools a phase has. The Tactician names them; what the name of the phase itself says is decided here, each time
--- that the phase or its tools change:
---
--- - A phase that verifies holds report_completion and give_up, and no other phase does. It verifies if its name has a
---   form of "verify" (VERIFICATION, VERIFY_SAVE), or says nothing but that all is complete (COMPLETION, TASK_COMPLETE,
---   FINAL_COMPLETION_CHECK; not COMPLETE_THE_FORM or FORM_COMPLETION, where something is done).
--- - A phase of EXECUTION holds a tool that acts, and every phase one that is no look-up, so that a turn can end.
local text = require "deskpilot.base.text"

local phases = {}

--- Orders that the policy gives itself: for an Executor whom nobody has told what to do, and for one whose Tactician
--- has stopped answering. The mission must still be able to end then, so the second holds both.
phases.fallback, phases.emergency = "FALLBACK", "EMERGENCY"

--- For an Executor of whom nobody has said what it may use.
phases.safe_tools = { "click_element", "press_key", "type_text", "scroll_down", "scroll_up" }

local completion, give_up = "report_completion", "give_up"

local function set(words)
  local names = {}
  for word in words:gmatch "%S+" do names[word] = true end
  return names
end

local verifying = set "verification verifications verify verifying verifies verified"
local executing = set "execution execute executing executes"
local complete = set "completion completed"
local around_complete = set "mission task goal all final phase check report and"

-- Tools that change nothing themselves, but are not marked `acts = false`, since the screen may change meanwhile.
local passive = set "wait browser_wait"

-- The words of a name: "VerifySave", "VERIFY_SAVE" and "verify save" have the same.
local function words_of(phase)
  local list = {}
  for word in phase:gsub("(%l)(%u)", "%1 %2"):gmatch "%a+" do list[#list + 1] = word:lower() end
  return list
end

local function has_word(phase, names)
  for _, word in ipairs(words_of(phase)) do
    if names[word] then return true end
  end
  return false
end

-- "Complete" at the end says that something is complete; before other words it is something to do.
local function says_only_complete(phase)
  local found, words = false, words_of(phase)
  for i, word in ipairs(words) do
    if complete[word] or word == "complete" and i == #words then found = true
    elseif not around_complete[word] then return false end
  end
  return found
end

-- The names for which fits(name) holds.
local function those(names, fits)
  local list = {}
  for _, name in ipairs(names) do
    if fits(name) then list[#list + 1] = name end
  end
  return list
end

local function without(names, name)
  return those(names, function(other) return other ~= name end)
end

-- Those of the names that there are: a goal within the run may have only some of the tools.
local function of_box(box, names)
  return those(names, function(name) return box:get(name) ~= nil end)
end

-- For an Executor without tools: the safe ones, or all that there are but the claim.
local function safe(box)
  local list = of_box(box, phases.safe_tools)
  return #list > 0 and list or without(without(box:names(), completion), give_up)
end

--- Whether a phase verifies the result, by its name.
---@param phase string
---@return boolean
function phases.verifies(phase)
  return has_word(phase, verifying) or says_only_complete(phase)
end

local needs_no_place = set "finish waiting"

--- Whether any of the tools may need to know where something is: all but those that wait or end the mission.
---@param box deskpilot.toolbox
---@param names string[]
---@return boolean
function phases.points(box, names)
  return #those(of_box(box, names), function(name) return not needs_no_place[box:get(name).group] end) > 0
end

local function has_acting(box, names)
  return #those(of_box(box, names), function(name) return box:get(name).acts ~= false and not passive[name] end) > 0
end

local function only_looks(box, names)
  return #those(of_box(box, names), function(name) return box:get(name).looks end) == #names
end

-- With those of the others that are not among them.
local function add_missing(names, more)
  local list = { table.unpack(names) }
  for _, name in ipairs(more) do
    if #without(names, name) == #names then list[#list + 1] = name end
  end
  return list
end

local function add(names, more)
  for _, name in ipairs(more) do
    names = without(names, name)
    names[#names + 1] = name
  end
  return names
end

-- The names, those of groups replaced by the names of their tools.
local function without_groups(box, names)
  local list = {}
  for _, name in ipairs(names) do
    local group = type(name) == "string" and not box:get(name) and box:scope({ groups = { name } }):names() or {}
    table.move(#group > 0 and group or { name }, 1, math.max(#group, 1), #list + 1, list)
  end
  return list
end

--- The names that are tools, without repetition, and a sentence about each that is none.
---@param box deskpilot.toolbox
---@param names string[] of tools and groups
---@return string[] known, string[] report
function phases.known(box, names)
  local known, seen, report = {}, {}, {}
  for _, name in ipairs(without_groups(box, names)) do
    if not box:get(name) then
      local nearest = text.nearest(tostring(name), box:names())
      report[#report + 1] = ("There is no tool %q%s."):format(tostring(name),
        nearest and ("; the nearest is %q"):format(nearest) or "")
    elseif not seen[name] then
      seen[name] = true
      known[#known + 1] = name
    end
  end
  return known, report
end

--- The tools of a phase: those that were named for it, or that the phase before had, made to fit its name.
---@param box deskpilot.toolbox
---@param phase string
---@param names string[]
---@return string[] tools, string[] report a sentence for the Tactician about each change
function phases.tools(box, phase, names)
  local tools, report = of_box(box, names), {}
  local has, verifies = #without(tools, completion) < #tools, phases.verifies(phase)
  if verifies then
    tools = of_box(box, add_missing(tools, { completion, give_up }))
    if not has and box:get(completion) then
      report[#report + 1] = ("The phase %s verifies, so report_completion was added to its tools."):format(phase)
    end
  elseif phase ~= phases.emergency then
    tools = without(without(tools, completion), give_up)
    if has then
      report[#report + 1] = ("The phase %s does not verify the result, so report_completion was taken from its tools; "
        .. "when all is done, begin a phase named VERIFICATION."):format(phase)
    end
  end
  if #tools == 0 then
    tools = safe(box)
    report[#report + 1] = "That left no tool, so the Executor has " .. text.join(tools) .. "."
  elseif has_word(phase, executing) and not verifies and not has_acting(box, tools) then
    tools = add(tools, safe(box))
    report[#report + 1] = ("The phase %s had no tool that acts, so the Executor has %s."):format(phase,
      text.join(tools))
  elseif only_looks(box, tools) and box:get "wait" then
    tools = add(tools, { "wait" })
    report[#report + 1] = ("The phase %s had only tools that look, which end no turn, so wait was added."):format(phase)
  end
  return tools, report
end

return phases
