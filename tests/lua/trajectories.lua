--- Checks trajectories against docs/trajectory.schema.json.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"

local trajectories = {}

local path = "docs/trajectory.schema.json"
local declared

-- A validation is limited in what it looks at, so of pictures only the beginning is left.
local function without_pixels(value)
  if type(value) == "string" and value:find "^data:image/" then return value:sub(1, 100) end
  if type(value) ~= "table" then return value end
  local copy = #value > 0 and json.list() or {}
  for key, item in pairs(value) do copy[key] = without_pixels(item) end
  return next(value) == nil and value or copy
end

--- What is wrong with a trajectory; nil where nothing is.
---@param value any
---@return string?
function trajectories.problem(value)
  declared = declared or assert(json.decode(assert(files.read(path))))
  local ok, why = schema.validate(declared, without_pixels(value))
  return not ok and why or nil
end

--- The trajectory in a run's folder, which is valid.
---@param folder string
---@return table value
function trajectories.read(folder)
  local text = assert(files.read(files.join(folder, "trajectory.json")))
  local value = assert(json.decode(text), "trajectory.json is no JSON")
  local problem = trajectories.problem(value)
  if problem then error("trajectory.json: " .. problem .. "\n" .. text:sub(1, 2000), 2) end
  return value
end

return trajectories
