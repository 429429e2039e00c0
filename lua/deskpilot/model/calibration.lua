--- Finds out how a model points and what its server takes, by asking it: on pictures that are drawn for it, so that it
--- is known where everything is. A model's words about itself are not asked for.
local fit = require "deskpilot.model.calibration.fit"
local pictures = require "deskpilot.model.calibration.pictures"
local profiles = require "deskpilot.model.profile"
local questions = require "deskpilot.model.calibration.questions"

local calibration = {}

--- Sizes of the pictures, and how many targets each has. The sides are no multiples of 28 or 32, so that models which
--- resize to these give other numbers; one is upright; one is below the least area of some rules.
calibration.sizes = { { 1000, 600, 8 }, { 650, 940, 6 }, { 300, 200, 4 } }

-- Above the largest area of most rules that differ in nothing else.
local large = { 3800, 2400, 3 }

-- Distances in thousandths of the picture's longer side.
local good, poor = 8, 25

---@class deskpilot.calibration.findings
---@field pictures boolean whether they reach the model
---@field tools "native"|"written"|"none" how it calls tools: by the wire, in its text, not at all
---@field tool_choice boolean? whether a demanded call is made; nil where it was refused
---@field parallel boolean? whether it makes several calls in an answer
---@field streaming boolean? whether streamed answers have their calls
---@field cached_tokens integer of all requests, as the server says
---@field seconds { with: number?, without: number? } of a call with and without a picture, medians
---@field asked integer how often it was asked for a place
---@field missed integer how often it gave none
---@field fit deskpilot.calibration.result? where it gave places
---@field calls integer requests in all

local function median(list)
  if #list == 0 then return nil end
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function note_call(state, reply, with_picture)
  state.findings.calls = state.findings.calls + 1
  if not reply then return end
  local times = with_picture and state.with or state.without
  times[#times + 1] = reply.seconds
  state.findings.cached_tokens = state.findings.cached_tokens + (reply.usage.cached_tokens or 0)
end

-- A refusal is an answer here; a server that is not there ends it all.
local function is_final(err)
  return err and (err.unreachable or err.timeout or err.status == 401 or err.status == 403 or err.status == 404
    or err.code == "cancelled")
end

-- --- the parts -----------------------------------------------------------------------------------------------

local function check_words(state)
  local answer, err, reply = questions.choice(state.client, "Answer with the word: yes.", nil, { "yes" })
  note_call(state, reply, false)
  if not reply then return nil, err end
  return answer or true
end

-- Two pictures of one colour each: whoever guesses is right about both once in nine times, and so the colours are
-- asked for in turn until there is no doubt.
local function check_pictures(state)
  local seen = true
  for _, colour in ipairs { { "red", 220, 20, 20 }, { "blue", 20, 40, 220 }, { "green", 20, 150, 40 } } do
    local answer, err, reply = questions.choice(state.client, "Which colour is this picture: red, green or blue?",
      pictures.plain(colour[2], colour[3], colour[4]), { "red", "green", "blue" })
    note_call(state, reply, true)
    if not reply and is_final(err) then return nil, err end
    seen = seen and answer == colour[1]
  end
  state.findings.pictures = seen
  return true
end

-- How it calls a tool, from its first answers.
local function check_tools(state, picture)
  local found = state.findings
  for i = 1, 2 do
    local answer, err = questions.point(state.client, picture, picture.targets[i], true)
    note_call(state, answer and answer.reply, true)
    if not answer and is_final(err) then return nil, err end
    if answer and answer.native then
      found.tools = "native"
      return true
    end
    if answer and answer.called then found.tools = "written" end
  end
  return true
end

local function ask_places(state, picture, seed_of)
  local found = state.findings
  for _, target in ipairs(picture.targets) do
    local answer, err = questions.point(state.client, picture, target, found.tools ~= "none")
    note_call(state, answer and answer.reply, true)
    if not answer and is_final(err) then return nil, err end
    found.asked = found.asked + 1
    if answer and answer.numbers then
      table.insert(state.samples, { numbers = answer.numbers, x = target.x, y = target.y, width = picture.width,
        height = picture.height })
    else
      found.missed = found.missed + 1
    end
    state.tell(found.asked, seed_of)
  end
  picture.image:close()
  return true
end

-- The rules of resizing that are known, each once.
local function rules()
  local list, seen = {}, {}
  for _, one in ipairs(assert(profiles.all())) do
    local space = one.space
    local key = ("%s %s %s"):format(space.factor, space.min_pixels, space.max_pixels)
    if space.kind == "resized" and not seen[key] then
      seen[key] = true
      list[#list + 1] = space
    end
  end
  table.sort(list, function(a, b)
    if a.factor ~= b.factor then return a.factor < b.factor end
    if a.max_pixels ~= b.max_pixels then return a.max_pixels > b.max_pixels end
    return a.min_pixels < b.min_pixels
  end)
  return list
end

local function check_places(state, planned)
  local spaces = fit.spaces(rules())
  for i, size in ipairs(planned) do
    local ok, err = ask_places(state, pictures.draw(size[1], size[2], size[3], i + state.seed))
    if not ok then return nil, err end
  end
  if #state.samples < 4 then return true end
  local best = fit.best(state.samples, spaces)
  if best.space.kind == "resized" and #best.same > 0 then -- only a large picture tells them apart
    local ok, err = ask_places(state, pictures.draw(large[1], large[2], large[3], 9 + state.seed))
    if not ok then return nil, err end
    best = fit.best(state.samples, spaces)
  end
  state.findings.fit = best
  return true
end

local function check_abilities(state, picture)
  local found = state.findings
  if found.tools ~= "native" then return end
  found.tool_choice = questions.demand(state.client)
  local several = questions.two_calls(state.client, picture)
  found.parallel = several and several > 1
  local streamed = state.open and state.open { stream = "on", retries = 0 }
  local answer = streamed and questions.point(streamed, picture, picture.targets[1], true)
  if streamed then found.streaming = answer ~= nil and answer.native or false end
  found.calls = found.calls + (streamed and 3 or 2)
end

--- Asks a model.
---@param client deskpilot.model.client
---@param options { points: integer?, seed: integer?, tell: fun(done: integer, planned: integer)?,
---  open: (fun(changes: table): deskpilot.model.client?)? }? points: how many places are asked for, about; open:
---  another client for the same model with some options changed
---@return deskpilot.calibration.findings? findings, deskpilot.error? err where the server cannot be asked at all
function calibration.ask(client, options)
  options = options or {}
  local planned, points = {}, 0
  for i, size in ipairs(calibration.sizes) do
    local count = options.points and math.max(2, math.min(8, options.points * size[3] // 18)) or size[3]
    planned[i], points = { size[1], size[2], count }, points + count
  end
  local tell = options.tell or function() end
  local state = { client = client, open = options.open, seed = options.seed or 0, samples = {}, with = {}, without = {},
    tell = function(done) tell(done, points) end,
    findings = { pictures = false, tools = "none", cached_tokens = 0, asked = 0, missed = 0, calls = 0 } }
  local first = pictures.draw(900, 700, 2, 5 + state.seed)
  local ok, err = check_words(state)
  if ok then ok, err = check_pictures(state) end
  if ok and state.findings.pictures then
    ok, err = check_tools(state, first)
    if ok then ok, err = check_places(state, planned) end
    if ok then check_abilities(state, first) end
  end
  first.image:close()
  if not ok then return nil, err end
  state.findings.seconds = { with = median(state.with), without = median(state.without) }
  return state.findings
end

-- --- what it means -------------------------------------------------------------------------------------------

--- How well it points: "exactly", "nearly" or "badly"; nil where it was not asked, or gave no places.
---@param found deskpilot.calibration.findings
---@return "exactly"|"nearly"|"badly"|nil
function calibration.precision(found)
  local result = found.fit
  if not result then return nil end
  if result.wide <= good then return "exactly" end
  return result.residual <= poor and result.wide <= 4 * poor and "nearly" or "badly"
end

local function space_words(space)
  if space.kind == "scaled" then return ("0 to %g across and down, whatever the picture's size"):format(space.max) end
  if space.kind == "pixels" then
    return "pixels of the picture" .. (space.fractions and ", or fractions of it" or "")
  end
  return ("pixels of the picture resized to multiples of %d, from %d to %d pixels in all"):format(space.factor,
    space.min_pixels, space.max_pixels)
end

--- The table: rows of a name and words.
---@param found deskpilot.calibration.findings
---@return string[][]
function calibration.rows(found)
  local rows = { { "pictures", found.pictures and "reach the model" or "do not reach this model" } }
  local function row(name, words) rows[#rows + 1] = { name, words } end
  local result = found.fit
  if result then
    row("space", space_words(result.space))
    row("order", result.order == "yx" and "y first" or result.box_order == "yxyx" and "x first; of boxes y first"
      or "x first")
    row("distance", ("%.1f thousandths of the picture in the median, nine of ten below %.1f"):format(result.residual,
      result.wide))
    row("scale, offset", ("%.3f and %.3f; %+.1f and %+.1f pixels"):format(result.scale[1], result.scale[2],
      result.offset[1], result.offset[2]))
  end
  if found.asked > 0 then
    row("places", ("%d of %d questions answered"):format(found.asked - found.missed, found.asked))
  end
  if found.pictures then
    row("tools", ({ native = "calls come by the protocol", written = "calls come in the text, where they are read",
      none = "no tool calls; using text" })[found.tools])
  end
  if found.tools == "native" then
    row("tool_choice", found.tool_choice and "is obeyed" or found.tool_choice == false and "is ignored" or "is refused")
    row("several calls", found.parallel and "in one answer" or "one at a time")
    if found.streaming ~= nil then row("streaming", found.streaming and "works" or "loses calls") end
  end
  row("cache", found.cached_tokens > 0 and ("%d tokens were not read again"):format(found.cached_tokens)
    or "the server says nothing of one")
  local seconds = found.seconds
  row("seconds", ("%s with a picture, %s without"):format(seconds.with and ("%.2f"):format(seconds.with) or "?",
    seconds.without and ("%.2f"):format(seconds.without) or "?"))
  row("requests", tostring(found.calls))
  return rows
end

--- The verdict in words, with what helps.
---@param found deskpilot.calibration.findings
---@return string
function calibration.verdict(found)
  if not found.pictures then
    return "Pictures do not reach this model: it works by the list of elements alone. Choose a model that sees, or "
      .. "load its picture part (mmproj) in the server."
  end
  local precision = calibration.precision(found)
  if not precision then return "This model gives no places: it works by the numbers of elements alone." end
  if precision == "exactly" then return "This model points exactly." end
  if precision == "nearly" then
    return "This model points near things: elements by their numbers and look_closely for small ones help it."
  end
  return "This model points badly: let it use elements by their numbers and look_closely, which shows a part of the "
    .. "screen larger, and keep it away from what has no elements."
end

--- What was found as the fields of a profile.
---@param found deskpilot.calibration.findings
---@param model string its name
---@param today string the date, for people
---@return table? fields nil where nothing was found that a profile could say
function calibration.profile(found, model, today)
  local result = found.fit
  if not result then return nil end
  local base = profiles.of(model)
  local fields = { about = ("%s, as it was found to be"):format(model), models = { model }, space = result.space,
    order = result.order, box_order = result.box_order, calibrated = today,
    spread = (result.residual * 10 + 0.5) // 1 / 10 }
  for _, name in ipairs { "picture", "wire", "grammar", "vocabulary", "reasoning", "context", "prices", "refuses",
    "renames" } do
    fields[name] = base and base[name]
  end
  fields.tools = found.tools == "native" and "native" or "text"
  fields.tool_choice, fields.parallel = found.tool_choice ~= nil, found.parallel or false
  return fields
end

return calibration
