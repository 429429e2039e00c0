--- The profile of a model: how it points, which picture it wants, and what may be sent to it. Profiles are data, files
--- deskpilot/model/profiles/NAME.lua of the mission's, the project's and the user's folder, then the shipped ones; a
--- model's is found by its name. The configuration (`models.NAME`) changes single fields of it.
local data = require "deskpilot.base.data"
local data_fields = require "deskpilot.base.data_fields"
local errors = require "deskpilot.base.errors"
local glob = require "deskpilot.base.glob"
local grammars = require "deskpilot.model.grammars"
local lookup = require "deskpilot.base.lookup"
local settings = require "deskpilot.model.profile_settings"
local vocabulary = require "deskpilot.model.vocabulary"

local profile = {}

local kind = "model/profiles"

--- What positions in a model's answers are counted in. `scaled`: from 0 to `max` in both directions, whatever the size
--- of the picture. `pixels`: pixels of the picture that is sent. `resized`: pixels of that picture after the model's
--- own resizing, to multiples of `factor` with an area within the bounds. `display`: pixels of a display of the size
--- that the model is told.
---@class deskpilot.model.profile_space
---@field kind "scaled"|"pixels"|"resized"|"display"
---@field max number? of scaled: what stands for the far edge; 1000, 999, 1
---@field fractions boolean? of the others: a point whose numbers are both at most 1 is in fractions of the picture
---@field factor integer? of resized: the sides are multiples of it
---@field min_pixels integer? of resized
---@field max_pixels integer? of resized
---@field width integer? of display; unless it is set, the picture's size is declared
---@field height integer? of display

---@class deskpilot.model.profile_picture
---@field width integer? the widest
---@field height integer? the highest
---@field factor integer? its sides are multiples of it
---@field patch integer? it costs by squares of so many pixels
---@field patches integer? of which it has at most so many
---@field format "png"|"jpeg"|nil
---@field detail string? how well a server is asked to look at it
---@field max integer? the most pictures of one request

---@class deskpilot.model.profile_prices
---@field input number US dollars for a million tokens
---@field output number
---@field cached number? for those of the input that are read from a cache
---@field written number? for those that are written to it

---@class deskpilot.model.profile
---@field name string that of its file
---@field where string? its file
---@field about string which models they are
---@field models string[] patterns of their names, `*` standing for anything, whatever the case; the most specific one
---  decides
---@field space deskpilot.model.profile_space
---@field order "xy"|"yx" which number of a point comes first
---@field box_order "xyxy"|"yxyx" and of a box
---@field picture deskpilot.model.profile_picture
---@field wire "chat"|"responses"|"anthropic"|"gemini" the protocol of its maker's own server
---@field computer string? its maker's own tool for screen, pointer and keys, which the wire offers beside ours where
---  those that point are offered: of responses "computer" or "computer_use_preview", of anthropic
---  "computer_toolset_20260801" or "computer_20251124", of gemini "desktop" or "browser"; "none"
---@field tools "native"|"text" text: they are described in the system prompt, in the grammar
---@field grammar string? in which it answers (model/grammars/NAME.lua), where that is text
---@field vocabulary string? its own names of acts (model/vocabularies/NAME.lua)
---@field tool_choice boolean whether a choice of tool may be sent
---@field parallel boolean whether several calls in one answer are meant to be done
---@field refuses string[] parameters that are never sent
---@field renames table<string, string> parameters that it knows under another name
---@field reasoning string? the field in which its thinking comes
---@field context integer? tokens
---@field prices deskpilot.model.profile_prices?
---@field calibrated string? when `deskpilot calibrate` has measured the model; nil: never
---@field spread number? how far it then pointed beside its targets, in thousandths of the picture
---@field recorded table? of the model of a recorded run: its space, as the run's requests have it

-- --- what a profile may hold ------------------------------------------------------------------------

local one_of, whole = data_fields.one_of, data_fields.whole
local is_text, is_flag, is_texts = data_fields.text, data_fields.flag, data_fields.texts
local is_price = data_fields.number(0, math.maxinteger, "a price of at least 0")
local is_extent = data_fields.number(1, 1000000)
local side, area = whole(1, 65536), whole(1, 1 << 32)

local fields = {
  about = is_text, models = is_texts, order = one_of("xy", "yx"), box_order = one_of("xyxy", "yxyx"),
  space = { kind = one_of("scaled", "pixels", "resized", "display"), max = is_extent, fractions = is_flag,
    factor = whole(1, 1024), min_pixels = area, max_pixels = area, width = side, height = side },
  picture = { width = whole(64, 8192), height = whole(64, 8192), factor = whole(1, 64), patch = whole(1, 1024),
    patches = whole(1, 1 << 20), format = one_of("png", "jpeg"), detail = is_text, max = whole(1, 1000) },
  wire = one_of("chat", "responses", "anthropic", "gemini"),
  computer = one_of("none", "computer", "computer_use_preview", "computer_toolset_20260801", "computer_20251124",
    "desktop", "browser"), tools = one_of("native", "text"),
  grammar = one_of(table.unpack(grammars.names())), vocabulary = one_of(table.unpack(vocabulary.names())),
  tool_choice = is_flag, parallel = is_flag,
  refuses = is_texts, renames = data_fields.map(is_text, "a table of names"), reasoning = is_text,
  context = whole(1, 1 << 40),
  calibrated = is_text, spread = is_price,
  prices = { input = is_price, output = is_price, cached = is_price, written = is_price },
}

-- What the fields of a whole profile do not have together.
local function lack(self)
  local space = self.space
  if not self.about then return "about is missing" end
  if not space.kind then return "space.kind is missing" end
  if space.kind == "scaled" and not space.max then return "space.max is missing: what stands for the far edge" end
  if space.kind == "resized" and not (space.factor and space.min_pixels and space.max_pixels) then
    return "space.factor, space.min_pixels or space.max_pixels is missing: the rule of the resizing"
  end
  if space.kind == "resized" and space.min_pixels > space.max_pixels then
    return "space.min_pixels is more than space.max_pixels"
  end
  if (self.picture.patch == nil) ~= (self.picture.patches == nil) then
    return "picture.patch and picture.patches go together"
  end
  if (space.width == nil) ~= (space.height == nil) then return "space.width and space.height go together" end
  if self.prices and not (self.prices.input and self.prices.output) then
    return "prices.input or prices.output is missing"
  end
end

local usual = {
  models = {}, order = "xy", box_order = "xyxy", picture = {}, wire = "chat", tools = "native", tool_choice = true,
  parallel = false, refuses = {}, renames = {},
}

-- A table with the fields of another put over it, those of the tables in it one by one.
local function over(base, more)
  local result = {}
  for key, value in pairs(base) do result[key] = value end
  for key, value in pairs(more) do
    local both = type(fields[key]) == "table" and type(value) == "table" and type(result[key]) == "table"
    result[key] = both and over(result[key], value) or value
  end
  return result
end

--- A profile from its file's text.
---@param name string the file's
---@param source string
---@param where string the file's path, for errors
---@return deskpilot.model.profile? profile, deskpilot.error? err code "invalid": what is wrong, and where
function profile.read(name, source, where)
  local values, err = data.parse(source, where)
  if not values then return nil, err end
  local wrong = data_fields.problems(values, fields)
  local self = #wrong == 0 and over(usual, values)
  if self then
    self.space = self.space or {}
    local why = lack(self)
    wrong:note(why and why:match "^[%w_.]+", why)
  end
  if not self or #wrong > 0 then return wrong:fail(where .. ": ") end
  self.name, self.where = name, where
  return self
end

-- --- which is whose ---------------------------------------------------------------------------------

local parsed = {} -- name of the file -> { source, where, profile }

--- The profile of that name.
---@param name string
---@param ships boolean? as for lookup.load
---@return deskpilot.model.profile? profile
---@return deskpilot.error? err code "not_found", or "invalid" for a file with mistakes
function profile.load(name, ships)
  local source, where = lookup.data(kind, name, ships)
  if not source then return nil, where end
  local was = parsed[name]
  if was and was.source == source and was.where == where then return was.profile end
  local one, err = profile.read(name, source, where)
  if one then parsed[name] = { source = source, where = where, profile = one } end
  return one, err
end

--- All profiles, by their names.
---@return deskpilot.model.profile[]? list, deskpilot.error? err about the first file with mistakes
function profile.all()
  local list = {}
  local names, own = lookup.list(kind)
  for _, name in ipairs(names) do
    local one, err = profile.load(name, not own[name])
    if not one then return nil, err end
    list[#list + 1] = one
  end
  return list
end

-- How specific a pattern is that a name fits: its characters beside the stars; nil where the name does not fit.
local function fit(pattern, model)
  if not glob.matches(pattern, model) then return nil end
  return #pattern - select(2, pattern:gsub("%*", ""))
end

-- The name of the profile whose pattern fits best. A file of the user's goes before a shipped one that fits as well.
local function best(model)
  local list, err = profile.all()
  if not list then return nil, err end
  local chosen, most, is_own = "default", -1, false
  for _, one in ipairs(list) do
    for _, pattern in ipairs(one.models) do
      local size, own = fit(pattern, model), one.where:sub(1, 8) ~= "shipped:"
      if size and (size > most or size == most and own and not is_own) then
        chosen, most, is_own = one.name, size, own
      end
    end
  end
  return chosen
end

--- The profile of a model, with what the configuration changes.
---@param model string its name, as the server is asked for it
---@param models table<string, table>? the configuration's `models`: by names of models, the options of each
---@return deskpilot.model.profile? profile, deskpilot.error? err names the file or the option
function profile.of(model, models)
  local own = settings.of(model, models)
  local name, err = own.profile, nil
  if not name or name == "" then name, err = best(model) end
  if not name then return nil, err end
  local found, why = profile.load(name)
  if not found then return nil, why end
  if next(own) == nil then return found end
  local changed = settings.fields(own)
  local wrong = data_fields.problem(changed, fields)
  local self = over(found, changed)
  wrong = wrong or lack(self)
  if wrong then return errors.fail("invalid", "models.%s: %s", model, wrong) end
  return self
end

return profile
