--- `deskpilot calibrate`: asks a model to point at things on pictures that are drawn for it, says how it points and
--- what its server takes, and keeps it as the model's profile.
local calibration = require "deskpilot.model.calibration"
local client = require "deskpilot.model.client"
local config_files = require "deskpilot.base.config_files"
local data = require "deskpilot.base.data"
local files = require "deskpilot.base.files"
local flags = require "deskpilot.cli.flags"
local provider = require "deskpilot.model.provider"
local run_models = require "deskpilot.cli.run_models"
local settings_module = require "deskpilot.cli.settings"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "Measure how a model points, and keep it as the model's profile.",
  order = 85,
  only_options = true,
  usage = "calibrate [--provider NAME | --endpoint URL] [--model NAME] [--points N] [--dry-run] [--json]",
  options = {
    { name = "provider", value = "NAME", help = "the model server" },
    { name = "endpoint", value = "URL", help = "the model server, by its address" },
    { name = "model", value = "NAME", help = "the model" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
    { name = "points", value = "N", help = "how many places it is asked for (18)" },
    { name = "dry-run", help = "write nothing" },
    { name = "json", help = "print what was found as one JSON object" },
  },
  details = "Some 30 requests are made, most of them with a picture of 1000x600 or less. What is found is kept in the\n"
    .. "user's folder, deskpilot/model/profiles/, for this model's name, and takes the place of what ships.",
}

-- A name that any file system takes.
local function file_name(model)
  local plain = model:lower():gsub("[^%w._-]+", "_"):gsub("^%.+", "")
  return (plain ~= "" and plain or "model"):sub(1, 80)
end

local function write(found, model)
  local fields = calibration.profile(found, model, os.date "!%Y-%m-%d")
  if not fields then return nil end
  local folder = files.join(files.user_config_folder(), "deskpilot", "model", "profiles")
  local path = files.join(folder, file_name(model) .. ".lua")
  local ok, err = files.make_folder(folder)
  if ok then ok, err = files.write(path, data.write(fields)) end
  if not ok then return nil, err end
  return path
end

local function tell_of(found)
  for _, row in ipairs(calibration.rows(found)) do terminal.put(("%-14s %s\n"):format(row[1], row[2])) end
  terminal.put(calibration.verdict(found), "\n")
end

-- The configuration, of which no file of anybody's is run; so options that such a file declares count as known.
local function read_settings(options)
  local layer, err = flags.layer(options)
  if not layer then return nil, err end
  local read, failure = config_files.read(layer)
  if failure then return nil, failure end
  provider.look_in { read.user_folder } -- data, which may be read
  return settings_module.new():resolve { layers = settings_module.file_layers(read), flags = layer, tolerant = true }
end

local function calibrate(options, settings)
  local wanted = run_models.options(settings)[""]
  local model, err = client.new(wanted)
  if not model then return nil, err end
  if model.literal or model.replay then
    return nil, ("%s has no eyes: name a model with --model, and its server with --provider or --endpoint"):format(
      model.name)
  end
  terminal.note(("asking %s at %s\n"):format(model.name, model.endpoint))
  local found, why = calibration.ask(model, { points = tonumber(options.points), tell = function(done, planned)
    if done % 6 == 0 and done <= planned then terminal.note(("%d of %d places\n"):format(done, planned)) end
  end, open = function(changes)
    local copy = {}
    for key, value in pairs(wanted) do copy[key] = value end
    for key, value in pairs(changes) do copy[key] = value end
    return client.new(copy)
  end })
  return found, found and model.name or why
end

function command.run(options)
  if options.points and not (math.tointeger(tonumber(options.points)) and tonumber(options.points) >= 6) then
    terminal.complain("--points wants a whole number of at least 6, not '" .. options.points .. "'")
    return 2
  end
  local settings, err = read_settings(options)
  if not settings then
    terminal.complain(tostring(err))
    return 2
  end
  local found, model = calibrate(options, settings)
  if not found then
    terminal.complain(tostring(model))
    return 3
  end
  if options.json then terminal.put_json(found) else tell_of(found) end
  if options["dry-run"] then return 0 end
  local path, why = write(found, model)
  if path then terminal.note("kept as " .. path .. "\n") end
  if why then
    terminal.complain(tostring(why))
    return 1
  end
  return found.pictures and 0 or 1
end

return command
