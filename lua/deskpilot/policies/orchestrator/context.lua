--- What the agent is told in every iteration. Each request stands alone, and each part of it has a limit of its own, so
--- that the whole stays as large as it is on the first day of a long journey.
local briefing = require "deskpilot.agent.briefing"
local json = require "deskpilot.base.json"
local offer = require "deskpilot.policies.orchestrator.offer"
local persona = require "deskpilot.agent.persona"
local reflection = require "deskpilot.policies.orchestrator.reflection"
local repair = require "deskpilot.policies.orchestrator.repair"
local text = require "deskpilot.base.text"
local token_count = require "deskpilot.agent.token_count"
local viewpoint = require "deskpilot.agent.viewpoint"

local context = {}

local memory_chars = 120 -- of a value or an experience
local most_overall = 300 -- characters of the overall goal: the current one says what is to be done now

-- --- the screen ---------------------------------------------------------------------------------------------

local field_roles = { text = true, entry = true, textbox = true, searchbox = true, combobox = true,
  ["combo box"] = true, ["password text"] = true, ["spin button"] = true, spinbutton = true,
  ["document text"] = true, paragraph = true }
local label_roles = { label = true, static = true, heading = true, ["status bar"] = true, frame = true, image = true,
  icon = true }

local function kind_of(element)
  local states = element.states or {}
  if states.editable or field_roles[element.role] then return "fields" end
  if label_roles[element.role] and not states.focusable then return "labels" end
  return "interactive"
end

local function cut(words, chars)
  words = text.one_line(words)
  return (utf8.len(words) or #words) > chars and text.cut(words, chars - 3) or words -- three are the dots
end

-- The same element with short words; all else is its own.
local function shortened(element, chars)
  local short = {}
  for _, name in ipairs { "name", "text", "value" } do
    local words = element[name]
    if type(words) == "string" then short[name] = cut(words, chars) end
  end
  return setmetatable(short, { __index = element })
end

-- How many of the elements that are told lie around each.
local function depths(seen)
  local told, known = {}, {}
  for _, element in ipairs(seen.elements) do told[element.index or false] = true end
  local function depth(index)
    if known[index] then return known[index] end
    known[index] = 0 -- a tree that goes in circles ends here
    local element = seen.tree and seen.tree[index]
    local above = element and element.parent and depth(element.parent) or 0
    known[index] = above + (told[index] and 1 or 0)
    return known[index]
  end
  return depth
end

-- The elements that are told, each kind up to its limit.
local function capped(config, elements, depth)
  local left, kept = {}, {}
  for _, kind in ipairs { "interactive", "fields", "labels" } do left[kind] = config:get("orchestrator." .. kind) end
  local deepest, chars = config:get "orchestrator.depth", config:get "orchestrator.element_chars"
  for _, element in ipairs(elements) do
    local kind = kind_of(element)
    if left[kind] > 0 and (not depth or depth(element.index) <= deepest) then
      left[kind], kept[#kept + 1] = left[kind] - 1, shortened(element, chars)
    end
  end
  return kept
end

--- The latest observation as the agent is told of it: no more elements of each kind, and no longer texts, than the
--- options say.
---@param run deskpilot.run
---@return deskpilot.observation shown
---@return integer left how many elements and characters of the page were left out
function context.screen(run)
  local seen, config = run.observation, run.config
  local shown = { elements = capped(config, seen.elements, seen.tree and depths(seen)) }
  local left = #seen.elements - #shown.elements
  shown.unlisted = (seen.unlisted or 0) + left
  if seen.page then
    local page, most = seen.page, config:get "orchestrator.page_chars"
    local words = page.text or ""
    shown.page = setmetatable({ elements = capped(config, page.elements), text = text.cut(words, most),
      text_cut = page.text_cut or (utf8.len(words) or #words) > most }, { __index = page })
    left = left + #page.elements - #shown.page.elements + (shown.page.text_cut and 1 or 0)
  end
  return setmetatable(shown, { __index = seen }), left
end

-- --- the words ----------------------------------------------------------------------------------------------

-- What is known of the application in front, and what could be opened where no page is.
local function applications(run)
  local window, apps, lines = run.observation.window, run.desk.apps, {}
  local hints = window and apps.about(window) or ""
  if hints ~= "" then lines[1] = hints end
  if not run.observation.page and not window then lines[#lines + 1] = apps.overview() end
  return table.concat(lines, "\n\n")
end

-- The goal as a whole and its place; the first part is the current goal itself.
local function around(run)
  local journey, lines = run.state.place, {}
  if journey then
    lines[1] = briefing.section("OVERALL GOAL", text.cut(text.one_line(run.mission.task), most_overall))
    if #journey.done > 0 then lines[2] = briefing.section("GOALS REACHED", table.concat(journey.done, "\n")) end
  end
  local known = applications(run)
  if known ~= "" then lines[#lines + 1] = known end
  return table.concat(lines, "\n\n")
end

local function heading(run)
  local journey = run.state.place
  return journey and ("CURRENT GOAL (%d of %d)"):format(journey.number, journey.of) or "GOAL"
end

-- What the agent is asked for now: notes to itself, what the system has to say, and where it stands.
local function demand(run)
  local s, parts = run.state, {}
  local notes = reflection.words(run)
  if notes then parts[1] = briefing.section("YOUR NOTES FROM THE ITERATION BEFORE", notes) end
  if s.report then parts[#parts + 1] = briefing.section("REPORT", s.report) end
  if s.system_note then parts[#parts + 1] = "SYSTEM NOTE: " .. s.system_note end
  parts[#parts + 1] = ("ITERATION: %d of %d"):format(s.iteration, run.config:get "orchestrator.iterations")
  return table.concat(parts, "\n\n")
end

-- Where neither a page nor elements tell of the screen, only its picture can.
local function needs_picture(seen)
  return #seen.elements == 0 and not seen.page
end

local function count_sizes(run, brief, system, definitions)
  local sizes, all = briefing.sizes(run, brief), 0
  sizes.system = token_count.of_text(system)
  sizes.tools = 0
  for _, tool in ipairs(definitions) do sizes.tools = sizes.tools + token_count.of_text(json.encode(tool) .. "\n") end
  for _, size in pairs(sizes) do all = all + size end
  sizes.all = all
  return sizes
end

-- Once in a goal; the journal has the sizes of every iteration.
local function warn(run, sizes)
  local most = run.config:get "orchestrator.warn_tokens"
  if sizes.all <= most or run.state.warned then return end
  run.state.warned = true
  local parts = {}
  for _, name in ipairs(text.keys(sizes)) do
    if name ~= "all" then parts[#parts + 1] = ("%s %d"):format(name, sizes[name]) end
  end
  run:note(("the context of this iteration has about %d tokens, more than %d (orchestrator.warn_tokens): %s"):format(
    sizes.all, most, table.concat(parts, ", ")))
end

--- The request of an iteration.
---@param run deskpilot.run
---@param definition table of the decision
---@param most integer commands
---@return table request as for run:ask
---@return table<string, integer> sizes tokens by part, and `all`
function context.request(run, definition, most)
  local seen, s = run.observation, run.state
  local shown, left = context.screen(run)
  s.shown_whole = left == 0 and (seen.unlisted or 0) == 0 or nil
  local brief = { persona = "orchestrator", mission = heading(run), criteria = run.goal.indicators,
    knowledge = around(run), history = true, screen = shown, demand = demand(run), notes = { repair.note(run) },
    memory = { experiences = run.config:get "orchestrator.experiences", chars = memory_chars } }
  local box, commands = run.toolbox:with { definition }, offer.toolbox(run)
  local tools = { definition.name, table.unpack(offer.information(run)) }
  local system = persona.prompt("orchestrator", { tools = briefing.signatures(run, offer.fitting(run, commands), true),
    commands = most == 1 and "1 command" or ("at most %d commands"):format(most), mode = offer.words(run) })
  local sizes = count_sizes(run, brief, system, box:definitions(tools, run, viewpoint.space(run, "orchestrator")))
  warn(run, sizes)
  s.report, s.system_note = nil, nil
  return { acts = true, system = system, text = briefing.later(run, brief),
    images = needs_picture(seen) and { seen } or {}, tools = tools, toolbox = box }, sizes
end

return context
