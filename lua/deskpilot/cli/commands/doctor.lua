--- `deskpilot doctor`: tries, one by one, what deskpilot needs of this machine, and says how to mend
--- what does not work. It changes nothing and touches no window.
local capture = require "deskpilot.desk.picture.capture"
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"
local client = require "deskpilot.model.client"
local config = require "deskpilot.base.config"
local config_files = require "deskpilot.base.config_files"
local config_layer = require "deskpilot.base.config_layer"
local files = require "deskpilot.base.files"
local flags = require "deskpilot.cli.flags"
local platform = require "deskpilot.desk.platform"
local profiles = require "deskpilot.model.profile"
local probe = require "deskpilot.model.probe"
local provider = require "deskpilot.model.provider"
local run_models = require "deskpilot.cli.run_models"
local settings_module = require "deskpilot.cli.settings"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local doctor = {
  summary = "Say what works on this machine, and how to mend what does not.",
  only_options = true,
  order = 80,
  usage = "doctor [--provider NAME | --endpoint URL] [--wire NAME] [--model NAME] [--set KEY=VALUE]... [--json]",
  options = {
    { name = "provider", value = "NAME", help = "the model server to try: " .. provider.shipped_names() },
    { name = "endpoint", value = "URL", help = "the model server to try, by its address" },
    { name = "wire", value = "NAME", help = "the protocol that it speaks: chat, responses, anthropic or gemini" },
    { name = "model", value = "NAME", help = "the model to ask for; `literal` needs no server" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
    { name = "json", help = "print one JSON object in place of the lines" },
  },
  details = "The last line says which missions can run here: scripts (`run`), tasks for --model literal, and tasks\n"
    .. "for a model. Exit status 0: scripts and --model literal can, and the model that an option names is\n"
    .. "there; 3: else.\n\n"
    .. "--json: { usable, verdict, findings: [{ id, name, ok, optional, detail, mend }] }. The `id` of what is tried\n"
    .. "stays the same in later versions; `optional`: a mission can run without it; `mend`: what to do about it,\n"
    .. "where that is known.",
}

-- What is tried, by the ids that --json tells.
local names = {
  browser = "browser", capture = "capture", configuration = "configuration", desktop = "a desktop", disk = "disk",
  display = "display", elements = "elements (accessibility)", input = "mouse and keyboard", model = "model",
  private_desktops = "private desktops", reading = "text on screen (OCR)", servers = "servers on this machine",
  session = "session", stop_hotkey = "emergency-stop hotkey", variable = "variable", windows = "windows",
}

---@class deskpilot.doctor_finding
---@field id string
---@field name string what people call it
---@field ok boolean
---@field detail string what was seen, or what is wrong
---@field mend string? what to do about it
---@field optional boolean? a mission can run without it

local function found(id, detail)
  return { id = id, name = names[id], ok = true, detail = detail }
end

local function missing(id, detail, mend, optional)
  return { id = id, name = names[id], ok = false, detail = tostring(detail), mend = mend,
    optional = optional or false }
end

-- Variables that look like those of a key and are none's.
local function check_variables(all, findings)
  for _, kind in ipairs { "policies", "guards", "tools" } do all:load_all(kind) end -- those that ship
  for _, variable in ipairs(config_layer.misspelt(all.keys, assert(uv.os_environ()))) do
    local finding = missing("variable", "no configuration key has it",
      ("if %s is meant, name it so"):format(variable.meant), true)
    finding.name = "variable " .. variable.name
    findings[#findings + 1] = finding
  end
end

-- The configuration; where something in it is wrong, the rest of it.
local function check_config(options, findings)
  local flag_layer, err = flags.layer(options)
  local read, failure = config_files.read(flag_layer)
  local own = settings_module.has_own_plugins { read.project_folder, read.user_folder }
  provider.look_in { read.user_folder } -- data, which may be read
  local all, sources = settings_module.new(), { layers = settings_module.file_layers(read), flags = flag_layer,
    tolerant = own }
  local settings, wrong, rest = all:resolve(sources)
  err = err or failure or wrong
  if err then
    findings[#findings + 1] = missing("configuration", err, "correct the file or flag that it names")
  else
    local unknown = own and config.unknown(all.keys, sources) or {}
    local detail = ("reads well (project folder %s)"):format(read.project_folder)
    if #unknown > 0 then
      detail = ("%s; only `run` can tell whether files of your own declare %s"):format(detail, text.join(unknown))
    end
    findings[#findings + 1] = found("configuration", detail)
  end
  check_variables(all, findings)
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
    findings[#findings + 1] = found("input", ("can be moved; the pointer is at %d,%d"):format(x, y))
  else
    findings[#findings + 1] = missing("input", err, platform.advice.input, true)
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
    findings[#findings + 1] = missing("stop_hotkey", problem,
      "mend what it names, or set another safety.stop_hotkey", true)
  else findings[#findings + 1] = found("stop_hotkey", combo .. " stops a run") end
end

local function check_windows(desk, findings)
  local list, err = desk:windows()
  if list then findings[#findings + 1] = found("windows", ("%d listed"):format(#list))
  else findings[#findings + 1] = missing("windows", err, platform.advice.windows, true) end
end

-- The element tree of the current desktop, by the way that a mission takes.
local function check_elements(findings)
  local mend = platform.advice.elements
  local opened, desk, err = pcall(function() return require("deskpilot.desk").open {} end)
  if not opened then desk, err = nil, desk end
  if not desk then
    findings[#findings + 1] = missing("elements", err, mend, true)
    return
  end
  local done, list, why = task.limit(5, function() return desk.elements.list {} end)
  if done and list then findings[#findings + 1] = found("elements", ("%d on screen"):format(#list))
  else findings[#findings + 1] = missing("elements", done and why or list, mend, true) end
  desk:close()
end

-- Reading text off the screen, which only scripts without elements to go by need.
local function check_reading(findings)
  local language = "eng"
  local ok, err = require("native.ocr").check(language)
  findings[#findings + 1] = ok and found("reading", "Tesseract is there, with " .. language)
    or missing("reading", err, nil, true)
end

-- A desktop of which only a part can be reached.
local function check_session(findings)
  local limits = platform.session_limits()
  if not limits then return end
  local finding = missing("session", limits.detail, limits.mend, true)
  finding.name = limits.name
  findings[#findings + 1] = finding
end

local function check_private(findings)
  local lacking, mend = platform.private_needs()
  local limits = platform.private_limits and ", " .. platform.private_limits or ""
  if #lacking == 0 then findings[#findings + 1] = found("private_desktops", "can be started" .. limits)
  else findings[#findings + 1] = missing("private_desktops", "without " .. text.join(lacking), mend, true) end
  return #lacking == 0
end

-- Only what works with pages needs one. None is started: that would be a window.
local function check_browser(findings)
  local browser = platform.browsers()[1]
  findings[#findings + 1] = browser and found("browser", browser)
    or missing("browser", "no Chrome, Chromium or Edge is known here", platform.browser_advice, true)
end

-- The model that missions ask. `wanted`: an option names it. `answering`: servers of this machine.
local function check_model(settings, findings, wanted, answering)
  local all, wrong = run_models.options(settings)
  if not all then
    findings[#findings + 1] = missing("model", wrong, nil, not wanted)
    return false
  end
  local options = all[""]
  local endpoint, name = options.endpoint, options.model
  options.connect_timeout, options.timeout = 5, 10
  if name == "literal" or endpoint == "literal" then
    findings[#findings + 1] = found("model", "literal, which is part of this program and needs no server")
    return true
  end
  local ok, there, err = pcall(probe.check, options)
  if not ok then there, err = nil, there end
  if there then
    local profile = profiles.of(name, settings:get "models")
    findings[#findings + 1] = found("model", ("%s at %s, %s"):format(name, endpoint, profile and profile.calibrated
      and "calibrated on " .. profile.calibrated or "never calibrated: `deskpilot calibrate` measures how it points"))
  else
    local another = answering[1] and ("or use --provider %s, which answers"):format(answering[1])
    findings[#findings + 1] = missing("model", err, another, not wanted)
  end
  return there
end

-- The model servers of this machine that answer, asked side by side: their names.
local function check_servers(findings)
  local asked, known = {}, {}
  for _, one in ipairs(provider.all() or {}) do
    if one.is_local then
      known[#known + 1] = one.name
      asked[#asked + 1] = { one = one, job = task.start(function()
        local asking = client.new { endpoint = one.endpoint, connect_timeout = 1 }
        return task.limit(2, function() return asking:models() end)
      end) }
    end
  end
  local words, answering = {}, {}
  for _, question in ipairs(asked) do
    local ran, in_time, models = question.job:wait()
    if ran and in_time and models then
      answering[#answering + 1] = question.one.name
      words[#words + 1] = ("--provider %s (%s, %d model%s)"):format(question.one.name, question.one.endpoint, #models,
        #models == 1 and "" or "s")
    end
  end
  if #words > 0 then findings[#findings + 1] = found("servers", text.join(words))
  else
    findings[#findings + 1] = missing("servers", ("none of %s answers where it usually does"):format(
      text.join(known)), nil, true)
  end
  return answering
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
  local mark = finding.ok and "ok     " or finding.optional and "without" or "MISSING"
  terminal.put(("%s  %-24s %s\n"):format(mark, finding.name, terminal.line(finding.detail)))
  if not finding.ok and finding.mend then terminal.put((" "):rep(9), "to mend: ", finding.mend, "\n") end
  io.stdout:flush() -- the next may take its time
end

-- Which missions can run, as the last line says it.
local function verdict(basis, model)
  if not basis then return "no mission can run here yet: see what is MISSING above" end
  if model then return "scripts, --model literal and agents can run here" end
  return "scripts and --model literal can run here; agents that ask another model cannot yet: see `model` above"
end

--- Tries everything.
---@param options table the command's
---@param tell fun(finding: deskpilot.finding)? called with each finding as it is made
---@return deskpilot.finding[] findings, boolean usable whether missions can run here, and the model that the options
---  name is there
---@return string words which missions can run
function doctor.examine(options, tell)
  local findings = setmetatable({}, { __newindex = function(list, index, finding)
    rawset(list, index, finding)
    if tell then tell(finding) end
  end })
  local settings = check_config(options, findings)
  check_session(findings)
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
    findings[#findings + 1] = missing("desktop", "neither a display nor the means for a private one",
      "see the two above")
  end
  check_disk(settings, findings)
  local basis = true
  for _, finding in ipairs(findings) do basis = basis and (finding.ok or finding.optional or false) end
  local answering = check_servers(findings)
  local wanted = options.endpoint or options.provider or options.model
  local model = check_model(settings, findings, wanted, answering)
  return findings, basis and (model or not wanted) and true or false, verdict(basis, model)
end

function doctor.run(options)
  local findings, usable, words = doctor.examine(options, not options.json and print_finding or nil)
  if options.json then terminal.put_json { usable = usable, verdict = words, findings = setmetatable(findings, nil) }
  else terminal.put(words, "\n") end
  return usable and 0 or 3
end

return doctor
