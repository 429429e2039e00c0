--- What a persona's model is shown and how it is told of places: the picture at the size and in the format that its
--- profile wants, and the space of its positions. Personas may ask different models: each has its own.
local native = require "native.image"
local picture_size = require "deskpilot.model.picture_size"
local shots = require "deskpilot.desk.picture.shot"
local spaces = require "deskpilot.model.space"

local viewpoint = {}

--- The client that a persona asks.
---@param run deskpilot.run
---@param persona string?
---@return deskpilot.model.client?
function viewpoint.model(run, persona)
  return run.models and run.models[persona or ""] or run.model
end

--- The profile of the model that a persona asks.
---@param run deskpilot.run
---@param persona string? the run's own model if not given
---@return deskpilot.model.profile?
function viewpoint.profile(run, persona)
  local model = viewpoint.model(run, persona)
  return model and (model.replay and model.replay:profile(persona) or model.profile)
end

-- The bounds of pictures: as they are configured, or else as the profile has them, or else as they are by default.
local function bounds(config, wanted)
  local width, height = config:get "screen.image_width", config:get "screen.image_height"
  local set_width = config.sources["screen.image_width"] ~= "default"
  local set_height = config.sources["screen.image_height"] ~= "default"
  return { width = not set_width and wanted.width or width, height = not set_height and wanted.height or height,
    is_hard = set_width or set_height }
end

--- Gives the size in which a model with that profile is sent a picture of so many pixels of the screen.
---@param config deskpilot.config
---@param profile deskpilot.model.profile?
---@return fun(width: integer, height: integer): integer, integer
function viewpoint.size(config, profile)
  local wanted = profile and profile.picture or {}
  local most = bounds(config, wanted)
  return function(width, height) return picture_size.of(wanted, most, width, height) end
end

-- The profiles of all models that the run may ask, that of the run's own first.
local function profiles_of(run)
  local list = { viewpoint.profile(run) or false }
  for persona in pairs(run.models or {}) do list[#list + 1] = viewpoint.profile(run, persona) or false end
  return list
end

--- The size in which the screen is looked at: the largest that one of the run's models wants. The pictures of the
--- others are made of it.
---@param run deskpilot.run
---@return fun(width: integer, height: integer): integer, integer
function viewpoint.largest(run)
  local sizes = {}
  for i, profile in ipairs(profiles_of(run)) do sizes[i] = viewpoint.size(run.config, profile or nil) end
  if #sizes == 1 then return sizes[1] end
  return function(width, height)
    local w, h = sizes[1](width, height)
    for i = 2, #sizes do
      local other_w, other_h = sizes[i](width, height)
      if other_w * other_h > w * h then w, h = other_w, other_h end
    end
    return w, h
  end
end

--- How pictures for models are encoded, as configured.
---@param config deskpilot.config
---@param encoder native.PngEncoder? for a series of pictures that differ little
---@param wanted "png"|"jpeg"|nil where none is configured
---@return deskpilot.encoding
function viewpoint.encoding(config, encoder, wanted)
  local format, most = config:get("screen.image_format"), config:get("screen.image_max_bytes")
  return { format = format ~= "auto" and format or wanted, max_bytes = most > 0 and most or nil, encoder = encoder }
end

--- The format that the run's own model wants pictures in, where nobody has configured one.
---@param run deskpilot.run
---@return "png"|"jpeg"|nil
function viewpoint.format(run)
  local profile = viewpoint.profile(run)
  return profile and profile.picture.format
end

-- The observation's picture in another size or format, kept in the run's folder.
local function made(run, seen, width, height, format)
  local small, err = seen.shot:scale(width, height)
  if not small then return nil, err end
  local bytes, how = small:encode(viewpoint.encoding(run.config, nil, format))
  if not bytes then return nil, how end
  local path = seen.path and ("%s_%dx%d.%s"):format(seen.path:gsub("%.%w+$", ""), how.width, how.height,
    how.format == "jpeg" and "jpg" or how.format)
  if path then
    local saved, failure = run.dir:save(path, bytes)
    if not saved then return nil, failure end
  end
  return { base64 = native.base64(bytes), mime = how.mime, path = path, shot = shots.encoded(bytes, how, seen.shot) }
end

local most_enlarged = 1.05 -- of an area: what rounding to multiples may come to

-- The size of an observation's picture for a model. One that was made smaller already, to fit into a number of bytes or
-- for the model of a recorded run, stays as it is.
local function wanted_size(run, profile, seen)
  local frame = seen.shot.frame
  if not (profile and frame) then return seen.shot.width, seen.shot.height end
  local width, height = viewpoint.size(run.config, profile)(frame.width, frame.height)
  if width * height > seen.shot.width * seen.shot.height * most_enlarged then
    return seen.shot.width, seen.shot.height
  end
  return width, height
end

--- An observation's picture as a persona's model is sent it: the observation itself where that has the right size.
---@param run deskpilot.run
---@param persona string?
---@param seen deskpilot.observation
---@return deskpilot.picture? picture, deskpilot.error? err
function viewpoint.picture(run, persona, seen)
  local profile = viewpoint.profile(run, persona)
  local width, height = wanted_size(run, profile, seen)
  local format = profile and profile.picture.format
  if run.config.sources["screen.image_format"] ~= "default" then format = nil end
  if seen.shot.width == width and seen.shot.height == height and (not format or seen.format == format) then
    return seen
  end
  local key = ("%dx%d %s"):format(width, height, format or "")
  seen.views = seen.views or {}
  local picture, err = seen.views[key], nil
  if not picture then
    picture, err = made(run, seen, width, height, format)
    seen.views[key] = picture
  end
  return picture, err
end

--- The space of a persona's positions.
---@param run deskpilot.run
---@param persona string?
---@param picture deskpilot.picture? which they are points of; that of the latest observation if not given
---@return deskpilot.model.space
function viewpoint.space(run, persona, picture)
  local profile = viewpoint.profile(run, persona)
  if not profile then return spaces.canonical end
  local seen = run.observation
  if not picture and seen and run.config:get "screen.image_max_bytes" > 0 then -- only then is its size not known before
    picture = viewpoint.picture(run, persona, seen)
  end
  local shot = picture and picture.shot
  if shot then return spaces.of(profile, shot.width, shot.height) end
  if seen and seen.shot then return spaces.of(profile, wanted_size(run, profile, seen)) end
  local screen = run.desk.screen.size() or { width = 1920, height = 1080 } -- nothing was seen, nor is pointed at
  return spaces.of(profile, viewpoint.size(run.config, profile)(screen.width, screen.height))
end

--- The most pictures of one request to a persona's model.
---@param run deskpilot.run
---@param persona string?
---@return integer most 0: any number, below 0: none
function viewpoint.most_pictures(run, persona)
  local most, profile = run.config:get "model.max_images", viewpoint.profile(run, persona)
  local model = viewpoint.model(run, persona)
  local server = model and model.quirks and model.quirks.pictures -- what its server has refused to take more than
  if server == 0 then return -1 end
  for _, own in ipairs { profile and profile.picture.max or false, server or false } do
    if own and (most == 0 or own < most) then most = own end
  end
  return most
end

--- Whether the tools of a persona are described in words: its model or the server takes none in the protocol's form.
---@param run deskpilot.run
---@param persona string?
---@return boolean
function viewpoint.tells_tools(run, persona)
  local model, profile = viewpoint.model(run, persona), viewpoint.profile(run, persona)
  return profile ~= nil and profile.tools == "text" or model ~= nil and model.quirks ~= nil
    and model.quirks.tools == "text"
end

--- How well a persona's model is asked to look at pictures.
---@param run deskpilot.run
---@param persona string?
---@return string?
function viewpoint.detail(run, persona)
  local profile = viewpoint.profile(run, persona)
  return profile and profile.picture.detail
end

return viewpoint
