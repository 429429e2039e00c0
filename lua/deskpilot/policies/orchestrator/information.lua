--- Asking for information within an iteration: what was found is kept until the screen changes, what was given already
--- is not given again, and of each tool it is counted how often the next commands succeeded after it.
local json = require "deskpilot.base.json"
local observation = require "deskpilot.agent.observation"
local text = require "deskpilot.base.text"
local token_count = require "deskpilot.agent.token_count"
local viewpoint = require "deskpilot.agent.viewpoint"

local information = {}

local tolerance, caret = 16, 4 -- of a colour's channel; pixels that a caret is wide at most
local running = 3 -- iterations in which the same tool is asked one after the other, of which the last is in vain

--- Begins an iteration: what was withheld in the one before is offered again.
---@param run deskpilot.run
function information.begin(run)
  local s = run.state
  s.withheld, s.withhold, s.lookups = s.withhold or {}, {}, {}
  s.recent = s.recent or {}
end

-- Whether two looks show the same, up to a caret that blinks.
local function same_look(before, now)
  if before == now then return true end
  if observation.describe(before, true) ~= observation.describe(now, true) then return false end
  if before.bytes == now.bytes then return true end
  if before.shot.width ~= now.shot.width or before.shot.height ~= now.shot.height then return false end
  local change = before.shot:difference(now.shot, { tolerance = tolerance })
  return not change or change.width <= caret
end

-- What was found while the screen looked as it does now.
local function cache(run)
  local s, now = run.state, run.observation
  if not s.cache or not same_look(s.cache.seen, now) then s.cache = { seen = now, found = {} } end
  return s.cache.found
end

local function key_of(name, args)
  local parts = { name }
  for _, key in ipairs(text.keys(args)) do
    if key ~= "justification" then parts[#parts + 1] = key .. "=" .. json.encode(args[key]) end
  end
  return table.concat(parts, " ")
end

-- Why there is nothing to find out; nil where there may be.
local function needless(s, name, args, key)
  for _, earlier in ipairs(s.lookups) do
    if earlier.key == key then return "it was given in this iteration already" end
  end
  if name == "inspect_page" and not args.contains and s.shown_whole then
    return "the message lists all that there is on the screen already"
  end
  local times = 1
  for i = #s.recent, 1, -1 do
    if not s.recent[i][name] then break end
    times = times + 1
  end
  if times >= running then
    return ("it was asked in %d iterations running, and the commands are still to come"):format(times)
  end
end

-- A long answer: its beginning, and how the rest can be had.
local function summarised(words, most)
  if #words <= most then return words end
  local kept, size, lines, all = {}, 0, 0, 0
  for line in words:gmatch "[^\n]+" do
    all = all + 1
    if size + #line <= most then
      kept[#kept + 1], size, lines = line, size + #line, lines + 1
    else
      size = most -- from the first line on that does not fit
    end
  end
  if lines == 0 then return text.cut(words, most) end
  return ("%s\n(%d of %d lines; ask for the others by what they contain)"):format(table.concat(kept, "\n"), lines, all)
end

-- Counts the pictures of an answer, and what they cost by the rule of the model's profile.
local function count_pictures(run, entry, result)
  local profile = viewpoint.profile(run, "orchestrator")
  for _, picture in ipairs(result.pictures or {}) do
    local shot = picture.shot
    entry.pictures = (entry.pictures or 0) + 1
    entry.tokens = (entry.tokens or 0) + (shot and token_count.of_picture(shot.width, shot.height, profile) or 0)
  end
end

local function refuse(s, name, entry, why)
  entry.redundant = why
  s.withhold[name] = why
  return { text = ("NOT ASKED: %s. %s is withheld in the next iteration. Decide with what you know."):format(why, name),
    own = true }
end

-- Finds it, or has it found already.
local function find(run, tool, entry, look)
  local found = not tool.fresh and cache(run) or {}
  local known = found[entry.key]
  if known then
    entry.cached = true
    return { text = ("(as in iteration %d; nothing has changed since) %s"):format(known.iteration, known.result.text),
      data = known.result.data, pictures = known.result.pictures }
  end
  local result, err = look()
  if not result then return nil, err end
  result.text = summarised(result.text, run.config:get "orchestrator.result_chars")
  found[entry.key] = { result = result, iteration = run.state.iteration }
  return result
end

--- The request's way of looking something up (run:ask).
---@param run deskpilot.run
---@param box deskpilot.toolbox
---@return fun(name: string, args: table, look: function): deskpilot.tool_result?, deskpilot.error?
function information.looker(run, box)
  return function(name, args, look)
    local s, key = run.state, key_of(name, args)
    local why, entry = needless(s, name, args, key), { tool = name, why = args.justification, key = key }
    table.insert(s.lookups, entry)
    if why then return refuse(s, name, entry, why) end
    local result, err = find(run, box:get(name), entry, look)
    entry.ok = result ~= nil
    if result then count_pictures(run, entry, result) end
    return result, err
  end
end

--- The request's rule for what is no look-up (run:ask): pictures are not rationed, but by what was given already.
---@param run deskpilot.run
---@param box deskpilot.toolbox
---@return fun(name: string): boolean
function information.free(run, box)
  return function(name)
    local tool = box:get(name)
    return tool ~= nil and tool.picture == true and not run.state.withhold[name]
  end
end

--- Ends an iteration: notes of each tool that was asked whether what came next has succeeded.
---@param run deskpilot.run
---@param step table of the iteration
function information.finish(run, step)
  local s, used = run.state, {}
  s.tools = s.tools or {}
  for _, entry in ipairs(s.lookups) do
    local value = s.tools[entry.tool] or { asked = 0, useful = 0, redundant = 0, cached = 0 }
    s.tools[entry.tool] = value
    value.asked = value.asked + 1
    if entry.redundant then value.redundant = value.redundant + 1
    elseif entry.ok and step.decided and not step.failed then value.useful = value.useful + 1 end
    if entry.cached then value.cached = value.cached + 1 end
    used[entry.tool] = true
  end
  s.recent = #s.recent > 0 and { s.recent[#s.recent], used } or { used }
end

return information
