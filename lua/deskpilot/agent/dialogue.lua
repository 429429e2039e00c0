--- What a persona has before it from its earlier requests. A request tells the first look whole and, of each look after
--- it, what has changed since: it is the request before with something added at its end, so that a server that keeps
--- the beginning of a request has to read only that. It is told anew when that would be no shorter, when system prompt
--- or tools are others, when positions mean another part of the screen, and after observe.looks looks.
local briefing = require "deskpilot.agent.briefing"
local changed_picture = require "deskpilot.agent.changed_picture"
local viewpoint = require "deskpilot.agent.viewpoint"

local dialogue = {}

---@class deskpilot.dialogue
---@field key string what has to be the same in the next request
---@field parts { text: string, images: deskpilot.picture[] }[] as they were sent
---@field told deskpilot.briefing.told

local worthwhile = 0.7 -- an addition that is longer than so much of the whole is not worth the words before it

local function key_of(request, model)
  return table.concat({ model.name, request.system, table.concat(request.tools or {}, " ") }, "\0")
end

-- How later looks are shown.
local function way_of_pictures(run, most)
  local how = run.config:get "observe.pictures"
  return how == "needed" and most == 1 and "whole" or how
end

-- Whether positions mean the same in both.
local function same_place(a, b)
  if not (a and b) then return a == b end
  local one, other = a.shot.frame, b.shot.frame
  return a.shot.width == b.shot.width and a.shot.height == b.shot.height and one.x == other.x and one.y == other.y
    and one.width == other.width and one.height == other.height
end

local function count_pictures(parts, images)
  local count = #images
  for _, part in ipairs(parts) do count = count + #part.images end
  return count
end

-- Pictures that tools have given, for the next request for an action.
local function given_by_tools(run, request)
  if request.image == false or not request.acts then return {} end
  local list = run.goal.pictures or {}
  run.goal.pictures = nil
  return list
end

-- The pictures of a request that is told anew, or of what is added to one.
local function images_of(run, request, given, before, way)
  if request.image == false then return {} end
  local list = { table.unpack(given) }
  if not before or way == "whole" then list[#list + 1] = run.observation
  else list[#list + 1] = changed_picture.of(run, request.persona, before, run.observation, way == "needed") end
  return list
end

-- What was sent before as it is sent again: where the latest screenshot ends each request, without the earlier ones.
local function parts_before(known, keeps_pictures)
  if keeps_pictures then return { table.unpack(known.parts) } end
  local parts = {}
  for i, part in ipairs(known.parts) do parts[i] = { text = part.text, images = {} } end
  return parts
end

-- Goes on from what was told; nil where it is better told anew.
local function continued(run, request, known, given, most)
  if #known.parts >= run.config:get "observe.looks" then return nil end
  local before, now = known.told.look, run.observation
  if not same_place(before, now) then return nil end
  local way = way_of_pictures(run, most)
  local words, told = briefing.compose(run, request.brief, 0, known.told)
  if #words > worthwhile * #(briefing.compose(run, request.brief)) then return nil end
  local parts = parts_before(known, way ~= "whole")
  local images = images_of(run, request, given, before, way)
  if most > 0 and count_pictures(parts, images) > most then return nil end
  -- Texts that follow one another without a picture between them are one text to a model.
  request.text, request.earlier, request.images = "\n\n" .. words, parts, images
  return told
end

--- Fills in what a request tells: its text, its pictures, and in `earlier` what was sent before and is sent again. A
--- request that was asked already stays as it is, but where it was too long or another model is asked.
---@param run deskpilot.run
---@param request table as for run:ask, with `brief`
---@param model deskpilot.model.client that is asked
function dialogue.begin(run, request, model)
  local short, was = request.short or 0, request.dialogue
  local key = key_of(request, model)
  if was and was.short == short and was.key == key then return end
  request.brief.persona = request.persona
  run.goal.dialogues = run.goal.dialogues or {}
  local known, given = run.goal.dialogues[request.persona], was and was.given or given_by_tools(run, request)
  local told = short == 0 and known and known.key == key
    and continued(run, request, known, given, viewpoint.most_pictures(run, request.persona))
  if not told then
    request.text, told = briefing.compose(run, request.brief, short)
    request.earlier, request.images = {}, images_of(run, request, given)
  end
  request.dialogue = { key = key, told = told, short = short, given = given }
end

--- Keeps what was sent, once it has been answered.
---@param run deskpilot.run
---@param request table that `begin` has filled in
---@param sent { text: string, images: deskpilot.picture[] } as listeners have left it
function dialogue.keep(run, request, sent)
  local parts = { table.unpack(request.earlier) }
  parts[#parts + 1] = { text = sent.text, images = sent.images }
  run.goal.dialogues[request.persona] = { key = request.dialogue.key, told = request.dialogue.told, parts = parts }
end

return dialogue
