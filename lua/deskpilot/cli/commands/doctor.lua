--- `deskpilot doctor`: tries, one by one, what deskpilot needs of this machine, and says how to mend
--- what does not work. It changes nothing and touches no window.
local capture = require "deskpilot.desk.picture.capture"
local config = require "deskpilot.base.config"
local config_files = require "deskpilot.base.config_files"
local files = require "deskpilot.base.files"
local flags = require "deskpilot.cli.flags"
local lookup = require "deskpilot.base.lookup"
local platform = require "deskpilot.desk.platform"
local settings_module = require "deskpilot.cli.settings"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local doctor = {
  summary = "Say what works on this machine, and how to mend what does not.",
  order = 80,
  usage = "doctor [--endpoint URL] [--set KEY=VALUE]...",
  options = {
    { name = "endpoint", value = "URL", help = "the model server to try" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
  },
  details = "Exit status 0: a mission can run here; 3: something it needs is missing.",
}

---@class deskpilot.finding
---@field name string
---@field ok boolean
---@field detail string what was seen, or what is wrong
---@field mend string? what to do about it
---@field optional boolean? a mission can run without it

local function found(name, detail)
  return { name = name, ok = true, detail = detail }
end

local function missing(name, detail, mend, optional)
  return { name = name, ok = false, detail = tostring(detail), mend = mend, optional = optional }
end

-- Whether there are policies, guards or tools of the user's own, which may declare what nothing that ships does.
-- They are programs, and doctor runs none of them.
local function has_own_plugins(folders)
  for _, folder in ipairs(folders) do
    for _, kind in ipairs { "policies", "guards", "tools" } do
      if #(files.list(files.join(folder, "deskpilot", kind)) or {}) > 0 then return true end
    end
  end
  return false
end

-- The configuration; where something in it is wrong, the rest of it.
local function check_config(options, findings)
  local project_folder, user_folder = lookup.project_folder(), files.user_config_folder()
  local own = has_own_plugins { project_folder, user_folder }
  local flag_layer, err = flags.layer(options)
  local project, user, failure = config_files.read(project_folder, user_folder)
  local all, sources = settings_module.new(), { layers = settings_module.file_layers(project or {}, user or {}),
    flags = flag_layer, tolerant = own }
  local settings, wrong, rest = all:resolve(sources)
  err = err or failure or wrong
  if err then
    findings[#findings + 1] = missing("configuration", err, "correct the file or flag that it names")
  else
    local unknown = own and config.unknown(all.keys, sources) or {}
    local detail = ("reads well (project folder %s)"):format(project_folder)
    if #unknown > 0 then
      detail = ("%s; only `run` can tell whether files of your own declare %s"):format(detail, text.join(unknown))
    end
    findings[#findings + 1] = found("configuration", detail)
  end
  return settings or rest
end

-- Where there are several, or things are drawn larger than usual.
local function monitors_of(desk)
  local list, words = desk:monitors() or {}, {}
  for i, monitor in ipairs(list) do
    words[i] = ("%d: %s, %dx%d at %d,%d, scale %g"):format(i, monitor.name, monitor.width, monitor.height, monitor.x,
      monitor.y, monitor.scale)
  end
  if #list == 0 or #list == 1 and list[1].scale == 1 then return "" end
  return "; " .. table.concat(words, "; ")
end

local function check_display(findings)
  local desk, err = require("native.desk").open {}
  if not desk then
    findings[#findings + 1] = missing("display", err, platform.advice.display, true)
    return nil
  end
  local screen, why = desk:screen()
  if not screen then
    findings[#findings + 1] = missing("display", why, "see whether the display still answers", true)
    desk:close()
    return nil
  end
  findings[#findings + 1] = found("display", ("%s, %dx%d%s"):format(desk:backend(), screen.width, screen.height,
    monitors_of(desk)))
  return desk
end

local function check_capture(desk, findings)
  local began = task.now()
  local image, err = capture.take({ native = desk }, {})
  if not image then
    findings[#findings + 1] = missing("capture", err, platform.advice.capture, true)
    return
  end
  findings[#findings + 1] = found("capture", ("one screenshot in %.1f ms"):format((task.now() - began) * 1000))
end

-- Moving the pointer to where it is goes the whole way and disturbs nobody.
local function check_input(desk, findings)
  local x, y = desk:pointer()
  local ok, err
  if x then ok, err = desk:move(x, y) else err = y end
  if ok then
    findings[#findings + 1] = found("mouse and keyboard", ("can be moved; the pointer is at %d,%d"):format(x, y))
  else
    findings[#findings + 1] = missing("mouse and keyboard", err, platform.advice.input, true)
  end
end

-- Whether a person could stop a run by its keys.
local function check_stop_hotkey(settings, findings)
  local combo = settings:get("safety.stop_hotkey")
  if combo == "" then return end
  local stop_hotkey = require "deskpilot.cli.stop_hotkey"
  local hotkey = stop_hotkey.new(combo)
  local problem = stop_hotkey.problem(combo)
  if not problem then hotkey:watch() end
  hotkey:close()
  problem = problem or hotkey.failure
  if problem then
    findings[#findings + 1] = missing("emergency-stop hotkey", problem,
      "mend what it names, or set another safety.stop_hotkey", true)
  else findings[#findings + 1] = found("emergency-stop hotkey", combo .. " stops a run") end
end

local function check_windows(desk, findings)
  local list, err = desk:windows()
  if list then findings[#findings + 1] = found("windows", ("%d listed"):format(#list))
  else findings[#findings + 1] = missing("windows", err, platform.advice.windows, true) end
end

-- The element tree of the current desktop, by the way that a mission takes.
local function check_elements(findings)
  local name = "elements (accessibility)"
  local mend = platform.advice.elements
  local opened, desk, err = pcall(function() return require("deskpilot.desk").open {} end)
  if not opened then desk, err = nil, desk end
  if not desk then
    findings[#findings + 1] = missing(name, err, mend, true)
    return
  end
  local done, list, why = task.limit(5, function() return desk.elements.list {} end)
  if done and list then findings[#findings + 1] = found(name, ("%d on screen"):format(#list))
  else findings[#findings + 1] = missing(name, done and why or list, mend, true) end
  desk:close()
end

-- Reading text off the screen, which only scripts without elements to go by need.
local function check_reading(findings)
  local name, language = "text on screen (OCR)", "eng"
  local ok, err = require("native.ocr").check(language)
  findings[#findings + 1] = ok and found(name, "Tesseract is there, with " .. language)
    or missing(name, err, nil, true)
end

local function check_private(findings)
  local lacking, mend = platform.private_needs()
  local limits = platform.private_limits and ", " .. platform.private_limits or ""
  if #lacking == 0 then findings[#findings + 1] = found("private desktops", "can be started" .. limits)
  else findings[#findings + 1] = missing("private desktops", "without " .. text.join(lacking), mend, true) end
  return #lacking == 0
end

-- Only what works with pages needs one. None is started: that would be a window.
local function check_browser(findings)
  local browser = platform.browsers()[1]
  findings[#findings + 1] = browser and found("browser", browser)
    or missing("browser", "no Chrome, Chromium or Edge is known here", platform.browser_advice, true)
end

local function model_problem(endpoint, err)
  local mend = ("start a server at %s, or name another with --endpoint or DESKPILOT_ENDPOINT; "
    .. "--model literal needs none"):format(endpoint)
  return missing("model server", err, mend)
end

local function check_model(settings, findings)
  local endpoint, name = settings:get("model.endpoint"), settings:get("model.name")
  local options = { endpoint = endpoint, model = name, api_key = settings:secret "model.api_key_file", timeout = 10,
    connect_timeout = 5, retries = 0 }
  local opened, client, err = pcall(function() return require("deskpilot.model.client").new(options) end)
  if not opened then client, err = nil, client end
  if not client then
    findings[#findings + 1] = model_problem(endpoint, err)
    return
  end
  local done, models, why = task.limit(15, function() return client:models() end)
  if not done then models, why = nil, models end
  if not models then
    findings[#findings + 1] = model_problem(client.endpoint or endpoint, why)
    return
  end
  for _, model in ipairs(models) do
    if model == name then
      findings[#findings + 1] = found("model server", ("%s has %s"):format(client.endpoint or endpoint, name))
      return
    end
  end
  local has = #models > 0 and "it has " .. text.join(table.move(models, 1, math.min(#models, 8), 1, {}))
    or "it names none"
  findings[#findings + 1] = missing("model server", ("it answers, but has no model %s; %s"):format(name, has),
    "name one of its models with --model, DESKPILOT_MODEL or model.name", true)
end

local function check_disk(settings, findings)
  local folder = settings:get("runs.dir")
  while not files.is_folder(folder) do folder = files.split(folder) end
  local free, wanted = files.free_space(folder), settings:get("safety.min_free_mb")
  if not free then return end
  local detail = ("%.0f MB free where runs are kept"):format(free / 2 ^ 20)
  if free / 2 ^ 20 >= wanted then findings[#findings + 1] = found("disk", detail)
  else
    findings[#findings + 1] = missing("disk", detail .. (", but %g are wanted"):format(wanted),
      "make room, or keep runs elsewhere with --runs DIR")
  end
end

-- Nothing a server or a bus said may steer the terminal.
local function print_finding(finding)
  local clean = require("deskpilot.cli.progress").clean
  local mark = finding.ok and "ok     " or finding.optional and "without" or "MISSING"
  io.stdout:write(("%s  %-24s %s\n"):format(mark, finding.name, clean(finding.detail)))
  if not finding.ok and finding.mend then io.stdout:write((" "):rep(9), "to mend: ", finding.mend, "\n") end
  io.stdout:flush() -- the next may take its time
end

--- Tries everything.
---@param options table the command's
---@param tell fun(finding: deskpilot.finding)? called with each finding as it is made
---@return deskpilot.finding[] findings, boolean usable whether a mission can run here
function doctor.examine(options, tell)
  local findings = setmetatable({}, { __newindex = function(list, index, finding)
    rawset(list, index, finding)
    if tell then tell(finding) end
  end })
  local settings = check_config(options, findings)
  local desk = check_display(findings)
  if desk then
    check_capture(desk, findings)
    check_input(desk, findings)
    check_stop_hotkey(settings, findings)
    check_windows(desk, findings)
    desk:close()
    check_elements(findings)
  end
  check_reading(findings)
  check_browser(findings)
  local private = check_private(findings)
  if not desk and not private then
    findings[#findings + 1] = missing("a desktop", "neither a display nor the means for a private one",
      "see the two above")
  end
  check_model(settings, findings)
  check_disk(settings, findings)
  local usable = true
  for _, finding in ipairs(findings) do usable = usable and (finding.ok or finding.optional or false) end
  return findings, usable
end

function doctor.run(options)
  local _, usable = doctor.examine(options, print_finding)
  io.stdout:write(usable and "a mission can run here\n" or "a mission cannot run here yet\n")
  return usable and 0 or 3
end

return doctor
