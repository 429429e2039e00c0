--- Pictures as parts of a request: the observation's, those in the results of tools, and others that a policy asks for.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local shots = require "deskpilot.desk.picture.shot"
local text = require "deskpilot.base.text"
local viewpoint = require "deskpilot.agent.viewpoint"

local pictures = {}

--- A picture that a model can be sent.
---@class deskpilot.picture
---@field base64 string
---@field mime string
---@field path string? of its file, in the run's folder
---@field caption string? what it shows, for the model
---@field shot deskpilot.shot? the picture itself, where it is of the screen
---@field outside boolean? the caption is a tool's, so it stands between the run's marks

local types = { ["image/png"] = "png", ["image/jpeg"] = "jpg", ["image/webp"] = "webp", ["image/gif"] = "gif" }
local longest = 20 * 2 ^ 20 -- characters of base64: what others bring along (a server's tool) may be anything

local function of_shot(run, shot)
  local width, height = viewpoint.size(run.config, viewpoint.profile(run))(shot.width, shot.height)
  local small, err = shot, nil
  if width ~= shot.width or height ~= shot.height then small, err = shot:scale(width, height) end
  if not small then return nil, err end
  local bytes, how = small:encode(viewpoint.encoding(run.config, nil, viewpoint.format(run)))
  if not bytes then return nil, how end
  return { base64 = native.base64(bytes), mime = how.mime, shot = shots.encoded(bytes, how, small) }, bytes
end

local function of_base64(value)
  if not types[value.mime] then
    return errors.fail("invalid", "a picture of the type %q cannot be sent to a model", text.cut(tostring(value.mime),
      40))
  end
  if #value.base64 > longest then
    return errors.fail("invalid", "a picture of %d MB is too large", #value.base64 >> 20)
  end
  local bytes = native.from_base64(value.base64)
  if not bytes then return errors.fail("invalid", "a picture is not valid base64") end
  return { base64 = native.base64(bytes), mime = value.mime }, bytes -- encoded anew: without line ends
end

--- A picture that models can be sent and that is kept in the run's folder.
---@param run deskpilot.run
---@param value deskpilot.shot|deskpilot.picture of any size; a shot is made to fit as screenshots are
---@param name string the file's path in the run's folder, without its extension
---@return deskpilot.picture? picture, deskpilot.error? err
function pictures.keep(run, value, name)
  if type(value) ~= "table" then return errors.fail("invalid", "a picture is a shot or { base64 =, mime = }") end
  local picture, bytes
  if type(value.base64) == "string" then picture, bytes = of_base64(value)
  elseif type(value.encode) == "function" then picture, bytes = of_shot(run, value)
  else return errors.fail("invalid", "a picture is a shot or { base64 =, mime = }") end
  if not picture then return nil, bytes end
  picture.path, picture.caption = ("%s.%s"):format(name, types[picture.mime]), value.caption
  local saved, err = run.dir:save(picture.path, bytes)
  if not saved then return nil, err end
  return picture
end

--- The paths of pictures, for events; nil where there are none.
---@param list deskpilot.picture[]
---@return string[]?
function pictures.paths(list)
  local paths = {}
  for i, picture in ipairs(list) do paths[i] = picture.path end
  return #paths > 0 and paths or nil
end

--- A result's pictures, kept. What cannot be used is told in the result's text, since the rest of it can.
---@param run deskpilot.run
---@param result deskpilot.tool_result whose `pictures` are then all deskpilot.picture
---@param name string the files' path in the run's folder, without number and extension
---@return deskpilot.tool_result result
function pictures.keep_all(run, result, name)
  local kept = {}
  for i, value in ipairs(result.pictures or {}) do
    local picture, err = pictures.keep(run, value, ("%s_%d"):format(name, i))
    if picture then
      picture.outside, kept[#kept + 1] = picture.caption ~= nil, picture
    else
      result.text = ("%s (its picture %d could not be used: %s)"):format(result.text, i, tostring(err))
    end
  end
  result.pictures = kept
  return result
end

return pictures
