local t = require "harness"
local args = require "deskpilot.cli.args"
local files = require "deskpilot.base.files"
local inspect = require "deskpilot.cli.inspect"
local json = require "deskpilot.base.json"
local errors = require "deskpilot.base.errors"
local progress = require "deskpilot.cli.progress"
local shot = require "deskpilot.cli.commands.shot"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local uv = require "luv"
local windows = require "deskpilot.cli.commands.windows"

local tests = {}

local options = {
  { name = "output", short = "o", value = "FILE", help = "the file" },
  { name = "set", value = "KEY=VALUE", repeated = true, help = "a key" },
  { name = "verbose", short = "v", help = "more" },
  { name = "quiet", short = "q", help = "less" },
  { name = "no-cursor", help = "no cursor" },
}

local function parsed(...)
  local result, positional = args.parse(options, { ... })
  return result, positional
end

function tests.options()
  local result, positional = parsed("-vq", "a", "--output=x=y", "--set", "k=1", "--set=k=2", "--no-cursor", "-",
    "--", "-z")
  t.eq(result, { verbose = true, quiet = true, output = "x=y", set = { "k=1", "k=2" }, no_cursor = true })
  t.eq(positional, { "a", "-", "-z" })
  result, positional = args.parse(options, { "-v", "a", "--", "-z", "--", "b" }, true)
  t.eq(result, { verbose = true, arguments = { "-z", "--", "b" } }, "for somebody else")
  t.eq(positional, { "a" })
  t.eq(parsed("-ofile").output, "file")
  t.eq(parsed("-vo", "file").output, "file")
  t.eq(parsed("-o", "-1").output, "-1")
  t.eq(parsed("--output", "").output, "")
  t.ok(parsed("-h").help)
  local function wrong(part, ...)
    local none, why = parsed(...)
    t.eq(none, nil)
    t.has(why, part)
  end
  wrong("--outptu; did you mean --output?", "--outptu", "x")
  wrong("there is no option -z", "-vz")
  wrong("--output wants a value: --output FILE", "--output")
  wrong("-o wants a value", "-o")
  wrong("--verbose takes no value", "--verbose=1")
end

function tests.help_is_made_from_the_options()
  local words = args.help("thing", { summary = "Does things.", usage = "thing FILE", options = options })
  for _, part in ipairs { "usage: deskpilot thing FILE", "Does things.", "-o, --output FILE", "--set KEY=VALUE",
    "-h, --help" } do
    t.has(words, part)
  end
end

local function deskpilot(...)
  return spawn.run({ spawn.program, ... }, { env = { DISPLAY = false } })
end

function tests.the_program_dispatches()
  local child = deskpilot("--version")
  t.eq(child.status, 0)
  t.ok(child.stdout:find("^deskpilot %d+%.%d+%.%d+\n$"), child.stdout)
  for _, words in ipairs { { "--help" }, { "-h" }, { "help" } } do
    child = deskpilot(table.unpack(words))
    t.eq(child.status, 0)
    for _, name in ipairs { "run", "repl", "eval", "shot", "windows", "report", "doctor", "eject" } do
      t.has(child.stdout, "\n  " .. name)
    end
  end
  child = deskpilot()
  t.eq(child.status, 2)
  t.eq(child.stdout, "")
  t.has(child.stderr, "usage: deskpilot COMMAND")
  child = deskpilot("shoot")
  t.eq(child.status, 2)
  t.has(child.stderr, "there is no command 'shoot'; did you mean 'shot'?")
  child = deskpilot("--versoin")
  t.eq(child.status, 2)
  child = deskpilot("shot", "--wndow", "x")
  t.eq(child.status, 2)
  t.has(child.stderr, "did you mean --window?")
end

function tests.only_what_is_like_a_name_is_suggested()
  local names = { "doctor", "eject", "elements", "eval", "repl", "report", "run", "shot", "windows" }
  for typed, meant in pairs { shoot = "shot", rnu = "run", wndows = "windows", win = "windows", doctr = "doctor",
    DOCTOR = "doctor", runs = "run", element = "elements", running = "run" } do
    t.eq(text.nearest(typed, names), meant, typed)
  end
  for _, typed in ipairs { "version", "calculator", "xyzzy", "", "r", "a", ("x"):rep(100000), "missions" } do
    t.eq(text.nearest(typed, names), nil, typed:sub(1, 20))
  end
  t.eq(text.nearest("desktop.sise", { "desktop.kind", "desktop.size" }), "desktop.size")
  t.eq(text.nearest("Poster", { "What" }, true), "What", "however unlike")
  t.eq(text.did_you_mean("shoot", names), "; did you mean 'shot'?")
  t.eq(text.did_you_mean("xyzzy", { "a", "b" }), "; there are a and b")
  t.eq(text.did_you_mean("xyzzy", {}), "")
end

function tests.what_is_no_command_is_answered_by_what_was_meant()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/missions"))
  assert(files.write(folder .. "/missions/mine.lua", "return { run = print }"))
  local function says(part, ...)
    local child = spawn.run({ files.absolute(spawn.program), ... }, { cwd = folder, env = { DISPLAY = false } })
    t.eq(child.status, 2, table.concat({ ... }, " "))
    t.eq(child.stdout, "")
    t.eq(child.stderr, "deskpilot: " .. part .. "\n")
  end
  says("there is no command 'version'; did you mean '--version'? (see deskpilot --help)", "version")
  says("there is no command 'xyzzy' (see deskpilot --help)", "xyzzy")
  says("there is no command '' (see deskpilot --help)", "")
  says("there is no command 'calculator', but a mission: deskpilot run calculator", "calculator")
  says("there is no command 'mine', but a mission: deskpilot run mine", "mine")
  says("there is no command 'missions/mine.lua', but a mission: deskpilot run missions/mine.lua", "missions/mine.lua")
  says("there is no option --verison; did you mean --version? (see deskpilot --help)", "--verison")
  says("options come after the command: deskpilot run --quiet ...", "--quiet", "run", "m.lua")
  says("--app starts a program on a private desktop: add --desktop private", "windows", "--app", "galculator")
  says("--desktop is 'privat', but must be current, private or private:WIDTHxHEIGHT", "shot", "--desktop", "privat")
  for _, name in ipairs { "doctor", "repl", "windows" } do
    says(("%s takes options only, not 'x' (see deskpilot %s --help)"):format(name, name), name, "x")
  end
  says("run needs a mission, a file or the name of one that ships: deskpilot run calculator", "run")
  says("run takes one mission, not a and b; what is for the mission stands after --", "run", "a", "b")
  says("there is no run here: deskpilot report runs/NAME", "report")
  says("nothing is no run directory: there is no journal.jsonl in it", "report", "nothing")
  assert(files.make_folder(folder .. "/runs/20260101T000000Z-m"))
  assert(files.write(folder .. "/runs/20260101T000000Z-m/journal.jsonl", ""))
  says("report takes one run, or two to compare", "report", "a", "b", "c")
  says("runs/x is no run directory; the latest one there is runs/20260101T000000Z-m", "report", "runs/x")
  says("elements lists one application or all: --app once, please", "elements", "--app", "a", "--app", "b")
  says("there is no mission file calculater; did you mean calculator, which ships?", "run", "calculater")
  says("nothing that ships is named 'xyzzy'; `deskpilot eject` lists what does", "eject", "xyzzy")
  says("there is no configuration key 'desktop.sise'; did you mean 'desktop.size'? (from --set)", "run", "mine",
    "--set", "desktop.sise=800,600")
  says("runs.keep must be { keep_count, keep_days, keep_mb } (from --set)", "run", "mine", "--set", "runs.keep=5")
  says("there is no configuration key 'turns'; did you mean 'limits.turns'? (from --set)", "run", "mine", "--set",
    "turns=5")
  local function mission_says(part, words)
    assert(files.write(folder .. "/m.lua", words))
    local child = spawn.run({ files.absolute(spawn.program), "run", "m.lua" }, { cwd = folder })
    t.eq(child.status, 2)
    t.has(child.stderr, part)
  end
  mission_says('m.lua: there is no mission key "tsk"; did you mean "task"?', "return { tsk = 'x' }")
  mission_says('m.lua must return a table, as in return { task = "..." }, not nothing', "task = 'x'")
  mission_says("there is no policy named 'odevv'; did you mean 'odev'?", "return { task = 'x', policy = 'odevv' }")
  mission_says("and inside deskpilot) (from m.lua)", "return { task = 'x', policy = 'odevv' }")
  mission_says("limits.turns is 'x', but must be a whole number (from m.lua)",
    "return { task = 'x', limits = { turns = 'x' } }")
  assert(files.write(folder .. "/deskpilot.lua", "return { desktop = { sise = { 800, 600 } } }"))
  says(("there is no configuration key 'desktop.sise'; did you mean 'desktop.size'? (from %s/deskpilot.lua)"):format(
    folder), "run", "mine")
  files.remove(folder)
end

function tests.every_command_has_help()
  for _, name in ipairs { "run", "repl", "eval", "shot", "windows", "report", "runs", "config", "doctor", "eject" } do
    local child = deskpilot(name, "--help")
    t.eq(child.status, 0, name .. ": " .. child.stderr)
    t.has(child.stdout, "usage: deskpilot " .. name)
    t.has(child.stdout, "--help")
    t.eq(child.stderr, "")
  end
end

if t.platform == "linux" then -- Windows always has a display
function tests.no_display_is_status_3()
  for _, name in ipairs { "shot", "windows" } do
    local child = deskpilot(name)
    t.eq(child.status, 3, name)
    t.ok(#child.stderr > 0)
  end
end
end

function tests.no_command_but_run_and_repl_runs_a_folders_code()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/deskpilot/cli/commands"))
  local trap = "io.open('" .. folder .. "/ran', 'w'):close()"
  for _, name in ipairs { "deskpilot.lua", "deskpilot/cli/commands/doctor.lua", "deskpilot/cli/init.lua", "luv.lua" } do
    assert(files.write(folder .. "/" .. name, trap))
  end
  for _, words in ipairs { { "--version" }, { "doctor" }, { "eject" }, { "shot" }, { "--help" },
    { "config" }, { "runs" } } do
    spawn.run({ spawn.program, table.unpack(words) }, { cwd = folder,
      env = { DISPLAY = false, LUA_PATH = folder .. "/?.lua", LUA_INIT = trap } })
    t.ok(not files.exists(folder .. "/ran"), words[1])
  end
  files.remove(folder)
end

function tests.config_tells_where_each_value_comes_from()
  local folder = files.absolute(spawn.folder())
  assert(files.make_folder(folder .. "/deskpilot/policies"))
  assert(files.write(folder .. "/deskpilot.lua", 'return { limits = { turns = 30 }, mine = { size = 3 } }'))
  assert(files.write(folder .. "/deskpilot/policies/mine.lua", [[
return { api = 1, options = { size = { type = "integer", default = 1, about = "x" } }, turn = function() end }]]))
  assert(files.write(folder .. "/m.lua", "return { task = 'x', policy = 'mine', limits = { turns = 50 } }"))
  local function config(...)
    return spawn.run({ spawn.program, "config", ... }, { cwd = folder,
      env = { DISPLAY = false, DESKPILOT_LIMITS_TURNS = "44", XDG_CONFIG_HOME = folder } })
  end
  local child = config("--set", "limits.seconds=9")
  t.eq(child.stderr, "")
  t.eq(child.status, 0)
  local told = child.stdout:gsub("trusted_folders = [^\n]*\n", "") -- which the tests on Windows have set
  t.eq(told, "limits.seconds = 9    (from a flag: --set)\n"
    .. "limits.turns = 44    (from the environment: DESKPILOT_LIMITS_TURNS)\n", "the policy's file was not run")
  child = config("limits.turns", "--mission", "m.lua")
  t.eq(child.stdout, ("limits.turns = 44    (from the environment: DESKPILOT_LIMITS_TURNS)\n"
    .. "    overrules 30 from %s/deskpilot.lua\n    overrules 50 from m.lua\n"):format(folder))
  child = config("mine", "--mission", "m.lua", "--json")
  t.eq(child.stderr, "")
  t.eq(json.decode(child.stdout), { key = "mine.size", value = 3, source = "the project's deskpilot.lua",
    place = folder .. "/deskpilot.lua" })
  t.has(config("--all").stdout, "limits.cost = 0    (the default)\n")
  child = config("limits.turn")
  t.eq({ child.status, child.stderr },
    { 2, "deskpilot: there is no configuration key 'limits.turn'; did you mean 'limits.turns'?\n" })
  child = config("--set", "limits.seconds=x")
  t.eq(child.status, 2)
  t.has(child.stderr, "limits.seconds is 'x'")
  t.has(child.stdout, "limits.turns = 44", "the rest is shown all the same")
  files.remove(folder)
end

-- One run that has ended, one that goes on, and one that was killed.
local function three_runs(folder)
  local journal = '{"event":"journal","at":0,"program":"0.1.0","version":1}\n'
    .. '{"event":"run_start","at":0,"mission":"m","model":"qwen","number":1,"policy":"odev",'
    .. '"desktop":"private","version":"0.1.0","config":{}}\n'
  for _, name in ipairs { "20260101T000000Z-a", "20260102T000000Z-b", "20260103T000000Z-c" } do
    assert(files.make_folder(files.join(folder, name)))
    assert(files.write(files.join(folder, name, "journal.jsonl"), journal))
  end
  assert(files.write(files.join(folder, "20260101T000000Z-a", "result.json"), json.encode { status = "succeeded",
    reason = "the order is there", turns = 5, actions = 7, seconds = 75.2, archive = { bytes = 2400000, events = 9 },
    model = { calls = 5, cost = 0.0123, input_tokens = 1000, output_tokens = 200 } }))
  local fd = assert(uv.fs_open(files.join(folder, "20260102T000000Z-b", "journal.jsonl"), "r+", 0))
  assert(require "native.system".lock_file(fd))
  return fd
end

function tests.runs_are_listed_with_what_they_took()
  local folder = files.absolute(spawn.folder())
  assert(files.make_folder(folder .. "/runs"))
  local function runs(...)
    local child = spawn.run({ spawn.program, "runs", ... }, { cwd = folder,
      env = { DISPLAY = false, XDG_CONFIG_HOME = folder } })
    local lines = {}
    for line in text.lines(child.stdout) do lines[#lines + 1] = line end
    return child, lines
  end
  t.has(runs().stdout, "there are no runs in " .. folder .. "/runs")
  local fd = three_runs(folder .. "/runs")
  local _
  local child, lines = runs()
  t.eq({ child.status, child.stderr }, { 0, "" })
  t.eq(lines, {
    "run                 status      turns  acts  time  tokens    cost   MB  policy  model",
    "20260103T000000Z-c  unfinished      -     -     -       -       -    -  odev    qwen",
    "20260102T000000Z-b  running         -     -     -       -       -    -  odev    qwen",
    "20260101T000000Z-a  succeeded       5     7  1:15    1200  0.0123  2.4  odev    qwen", "" })
  child, lines = runs("--last", "1")
  t.eq(#lines, 3)
  t.has(child.stderr, "2 older ones are not listed")
  uv.fs_close(fd)
  _, lines = runs("runs", "--json")
  local listed = json.decode(lines[3])
  t.eq({ listed.status, listed.reason, listed.tokens, listed.cost },
    { "succeeded", "the order is there", 1200, 0.0123 })
  t.eq(runs("runs/20260101T000000Z-a").stdout, "there are no runs in " .. folder .. "/runs/20260101T000000Z-a\n")
  child = runs("--last", "few")
  t.eq({ child.status, child.stderr }, { 2, "deskpilot: --last wants how many, such as --last 5, not 'few'\n" })
  child = spawn.run({ spawn.program, "report" }, { cwd = folder, env = { DISPLAY = false } })
  t.eq({ child.status, child.stderr }, { 0, "" }, "the latest one")
  t.has(child.stdout, "runs/20260103T000000Z-c/report.html")
  files.remove(folder)
end

function tests.eject_copies_and_never_overwrites()
  local folder = files.absolute(spawn.folder())
  local function eject(...) return spawn.run({ spawn.program, "eject", ... }, { cwd = folder }) end
  local child = eject()
  t.eq(child.status, 0)
  t.has(child.stdout, "click_element")
  child = eject("click_element")
  t.eq(child.status, 0, child.stderr)
  local path = folder .. "/deskpilot/tools/click_element.lua"
  t.eq(child.stdout, path .. "\n")
  t.has(files.read(path), "click_element")
  assert(files.write(path, "mine"))
  child = eject("tools/click_element")
  t.eq(child.status, 2)
  t.has(child.stderr, "is there already")
  t.eq(files.read(path), "mine")
  child = eject("clik_element")
  t.eq(child.status, 2)
  t.has(child.stderr, "did you mean 'click_element'?")
  files.remove(folder)
end

-- Which address a server's name stands for, and so where keys are sent, is not for a project to say.
function tests.eject_puts_the_servers_into_the_users_folder()
  local folder = files.absolute(spawn.folder())
  local config = folder .. "/config"
  local child = spawn.run({ files.absolute(spawn.program), "eject", "providers" }, { cwd = folder,
    env = { XDG_CONFIG_HOME = config, APPDATA = config } })
  t.eq(child.status, 0, child.stderr)
  t.eq(child.stdout, config .. "/deskpilot/deskpilot/model/providers.lua\n")
  t.eq(files.list(folder), { "config" })
  child = spawn.run({ files.absolute(spawn.program), "eject", "agent/loop" }, { cwd = folder })
  t.eq(child.status, 2)
  t.has(child.stderr, "nothing that ships is named 'agent/loop'")
  files.remove(folder)
end

-- As where the program, one file, was put into the folder of the work.
function tests.eject_beside_a_file_of_the_folders_name()
  local folder = files.absolute(spawn.folder())
  assert(files.write(folder .. "/deskpilot", "the program"))
  local child = spawn.run({ files.absolute(spawn.program), "eject", "three_body" }, { cwd = folder })
  t.eq(child.status, 2)
  t.eq(child.stderr, ("deskpilot: %s/deskpilot is a file, but deskpilot/ has to be a folder there: work in a folder of "
    .. "its own (mkdir my-project, cd my-project), or move that file away or rename it\n"):format(folder))
  t.eq(files.list(folder), { "deskpilot" })
  child = spawn.run({ files.absolute(spawn.program), "eject", "missions/calculator" }, { cwd = folder })
  t.eq(child.status, 0, "a mission goes elsewhere: " .. child.stderr)
  if t.platform == "linux" then
    files.remove(folder .. "/deskpilot")
    assert(uv.fs_link(files.absolute(spawn.program), folder .. "/deskpilot"))
    child = spawn.run({ folder .. "/deskpilot", "eject", "three_body" }, { cwd = folder })
    t.has(child.stderr, "/deskpilot is this program, but deskpilot/ has to be a folder there")
  end
  files.remove(folder)
end

-- What an editor's language server is pointed to, beside what is ejected.
function tests.eject_writes_the_types_for_editors()
  local folder = files.absolute(spawn.folder())
  local function eject(...) return spawn.run({ spawn.program, "eject", ... }, { cwd = folder }) end
  local function read(path) return files.read(folder .. "/" .. path) end
  t.eq(eject("strategist").status, 0)
  t.ok(not files.exists(folder .. "/.deskpilot"), "a prompt has no types")
  local child = eject("three_body")
  t.eq(child.status, 0, child.stderr)
  t.eq(child.stdout, folder .. "/deskpilot/policies/three_body.lua\n")
  t.has(child.stderr, folder .. "/.luarc.json\n")
  local settings = json.decode(read ".luarc.json")
  t.eq(settings["workspace.library"][1], ".deskpilot/types")
  t.has(read ".deskpilot/types/deskpilot/desk/input/mouse.lua", "---@class deskpilot.desk.mouse")
  t.has(read ".deskpilot/types/deskpilot/agent/mission.lua", "---@class deskpilot.mission")
  t.eq(read ".deskpilot/types/types/native/desk.d.lua", files.read("lua/types/native/desk.d.lua"))
  t.eq(read ".deskpilot/.gitignore", "*\n")
  t.ok(not read ".deskpilot/types/deskpilot/policies/three_body.lua", "its own is described there")
  t.ok(read ".deskpilot/types/deskpilot/policies/odev.lua", "the others are there")
  child = eject("odev")
  t.eq(child.stderr, "", "nothing is written twice")
  t.ok(not read ".deskpilot/types/deskpilot/policies/odev.lua")
  -- Anew, and never over what is the user's own.
  assert(files.write(folder .. "/.deskpilot/types/old.lua", "old"))
  assert(files.write(folder .. "/.luarc.json", "{}"))
  child = eject("--types")
  t.eq(child.status, 0, child.stderr)
  t.eq(child.stdout, folder .. "/.deskpilot/types\n")
  t.has(child.stderr, folder .. "/.luarc.json is yours and stays as it is")
  t.has(child.stderr, 'add ".deskpilot/types" to its "workspace.library"')
  t.eq(read ".luarc.json", "{}")
  t.ok(not read ".deskpilot/types/old.lua")
  assert(files.write(folder .. "/.luarc.json", '{ "workspace.library": [".deskpilot/types"] }'))
  t.eq(eject("--types").stderr, "")
  -- Those of another version are replaced.
  assert(files.write(folder .. "/.deskpilot/types/version", "0.0.1\n"))
  assert(files.write(folder .. "/.deskpilot/types/old.lua", "old"))
  t.eq(eject("drag_element").status, 0)
  t.ok(not read ".deskpilot/types/old.lua")
  files.remove(folder)
end

function tests.the_settings_of_the_checkout_are_for_an_editor_too()
  local settings = json.decode(assert(files.read(".luarc.json")))
  t.eq(settings["runtime.version"], "Lua 5.4")
  for _, pattern in ipairs(settings["runtime.path"]) do
    t.ok(files.is_folder(pattern:match("^(.-)/%?")), pattern)
  end
end

if t.platform == "linux" then
function tests.doctor_says_what_is_missing_and_how_to_mend_it()
  local child = spawn.run({ spawn.program, "doctor", "--endpoint", "http://127.0.0.1:9/v1" },
    { env = { DISPLAY = false, WAYLAND_DISPLAY = false, PATH = "/nonexistent" } })
  t.eq(child.status, 3, child.stderr)
  for _, part in ipairs { "display", "private desktops", "no model server answers at http://127.0.0.1:9/v1",
    "to mend: ", "apt-get install xvfb", "apt-get install chromium", "no mission can run here yet" } do
    t.has(child.stdout, part)
  end
  child = spawn.run({ spawn.program, "doctor", "--set", "limits.turn=1" })
  t.has(child.stdout, "did you mean 'limits.turns'?")
end
end

if t.platform == "linux" then
function tests.doctor_says_which_missions_can_run()
  local function says(status, part, ...)
    local child = spawn.run({ spawn.program, "doctor", ... }, { env = { DISPLAY = false, WAYLAND_DISPLAY = false,
      DESKPILOT_ENDPOINT = "http://127.0.0.1:9/v1" } })
    t.eq(child.status, status, child.stdout)
    t.has(child.stdout, part)
    return child.stdout
  end
  local words = says(0, "scripts and --model literal can run here; agents that ask another model cannot yet")
  t.has(words, "without  model ")
  says(0, "none of jan, koboldcpp, llamacpp, lmstudio, ollama, sglang and vllm answers where it usually does")
  says(3, "MISSING  model ", "--endpoint", "http://127.0.0.1:9/v1")
  says(3, "there is no model provider 'olama'", "--provider", "olama")
  says(0, "literal, which is part of this program and needs no server", "--model", "literal")
end

function tests.doctor_knows_wayland()
  local function says(env, ...)
    env.DESKPILOT_MODEL = "literal"
    local child = spawn.run({ spawn.program, "doctor" }, { env = env })
    for _, part in ipairs { ... } do t.has(child.stdout, part) end
    return child.stdout
  end
  says({ WAYLAND_DISPLAY = "wayland-0", DISPLAY = ":99" }, "Wayland session", "programs that use X11 can be seen",
    "GDK_BACKEND=x11")
  says({ WAYLAND_DISPLAY = "wayland-0", DISPLAY = false }, "without XWayland nothing of this desktop can be seen",
    "--desktop private")
  t.ok(not says({ WAYLAND_DISPLAY = false, XDG_SESSION_TYPE = false, DISPLAY = false }):find("Wayland"))
end
end

function tests.doctor_names_variables_that_are_misspelt()
  local child = spawn.run({ spawn.program, "doctor", "--model", "literal" }, { env = { DISPLAY = false,
    DESKPILOT_RUN_DIR = "/x", DESKPILOT_NOTHING_LIKE_THAT = "1" } })
  t.has(child.stdout, "variable DESKPILOT_RUN_DIR")
  t.has(child.stdout, "if DESKPILOT_RUNS_DIR is meant, name it so")
  t.ok(not child.stdout:find("NOTHING_LIKE", 1, true))
end

function tests.doctor_is_content_where_all_is_well()
  local child = spawn.run({ spawn.program, "doctor", "--set", "model.name=literal" }, { env = { DISPLAY = false } })
  t.eq(child.status, 0, child.stdout .. child.stderr)
  t.has(child.stdout, "scripts, --model literal and agents can run here\n")
end

-- What programs go by: the same findings, with ids.
function tests.doctor_tells_it_as_data()
  local env = { DISPLAY = false, WAYLAND_DISPLAY = false, DESKPILOT_RUN_DIR = "/x" }
  local child = spawn.run({ spawn.program, "doctor", "--json", "--endpoint", "http://127.0.0.1:9/v1" }, { env = env })
  t.eq(child.status, 3, child.stderr)
  local told = t.ok(json.decode(child.stdout))
  local words = spawn.run({ spawn.program, "doctor", "--endpoint", "http://127.0.0.1:9/v1" }, { env = env }).stdout
  t.eq(told.usable, false)
  t.has(words, told.verdict)
  local by_id = {}
  for _, one in ipairs(told.findings) do
    by_id[one.id] = one
    t.has(words, one.name)
    t.ok(type(one.ok) == "boolean" and type(one.detail) == "string", one)
  end
  t.eq(by_id.configuration.ok, true)
  t.eq({ by_id.variable.ok, by_id.variable.optional }, { false, true })
  t.has(by_id.variable.mend, "DESKPILOT_RUNS_DIR")
  t.eq({ by_id.model.ok, by_id.model.optional }, { false, false })
  t.has(by_id.model.detail, "no model server answers at http://127.0.0.1:9/v1")
  for _, id in ipairs { "browser", "disk", "private_desktops", "reading", "servers" } do t.ok(by_id[id], id) end
end

-- As an application that stopped answering COM, or a name server, does it to a thread.
function tests.nobody_waits_at_the_end_for_a_call_that_does_not_return()
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "repl" }, { cwd = folder, input = [[
work = function() io.open("begun", "w"):close() require("luv").sleep(60000) end
require("luv").new_work(work, function() end):queue()
while not io.open("begun") do require("deskpilot.base.task").sleep(0.01) end
print("asked")]] })
  files.remove(folder)
  t.eq(child.status, 0)
  t.has(child.stdout, "asked\n")
  t.has(child.stderr, "ended without waiting for a call that does not return")
  t.ok(child.seconds < 40, ("it took %.1f s"):format(child.seconds))
end

-- The repl, fed by a pipe.
local function entered(lines)
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "repl" },
    { input = lines, cwd = folder, env = { DISPLAY = false, HOME = folder } })
  files.remove(folder)
  return child
end

function tests.repl_without_a_terminal()
  local child = entered([[
1 + 1, "two"
x = { a = 1,
  b = { 2 } }
x
nil, 3
error("boo")
require("deskpilot.base.task").sleep(0.05); return "slept"
require("deskpilot.base.errors").fail("io", "no luck")
local f = function() local y = nil return y.z end f()
print("end")]])
  t.eq(child.status, 0)
  t.eq(child.stdout, '2, "two"\n{ a = 1, b = { 2 } }\nnil, 3\n"slept"\nnil, no luck (io)\nend\n')
  t.has(child.stderr, "error: repl:1: boo\n")
  t.has(child.stderr, "attempt to index a nil value (local 'y')")
  if t.platform == "linux" then t.has(entered("desk").stderr, "(unavailable)") end -- without a display
  t.eq(entered("1\t+\t\t1\n").stdout, "2\n", "a tab completes nothing where there is no terminal")
  child = entered("1 +\n")
  t.eq(child.status, 0)
  t.has(child.stderr, "near <eof>")
end

function tests.repl_help_and_reload()
  local folder = spawn.folder()
  assert(files.write(folder .. "/mine.lua", "--- Says it.\n---@param n integer how often\nlocal function f(n) "
    .. "return n end\nreturn { n = 1, f = f }"))
  local child = spawn.run({ files.absolute(spawn.program), "repl" }, { cwd = folder,
    input = "require('mine').n\nhelp(require('mine').f)\n"
    .. "local h = io.open('mine.lua', 'w') h:write('return { n = 2 }') h:close()\n"
    .. "require('mine').n\nreload('mine').n\nhelp()\n" })
  t.has(child.stdout, "1\nlocal function f(n) return n end\nSays it.\n  n integer how often\n1\n2\n")
  t.has(child.stdout, "desk.screen")
  t.eq(child.stderr, "")
  files.remove(folder)
end

function tests.values_are_readable()
  t.eq(inspect.value({ 1, 2, x = "a\nb", [10] = true, ["a b"] = {} }),
    '{ 1, 2, [10] = true, ["a b"] = {}, x = "a\\nb" }')
  local cyclic = { name = "c" }
  cyclic.self = cyclic
  t.eq(inspect.value(cyclic), '{ name = "c", self = <the same table again> }')
  t.eq(inspect.value("\27[31m\155é\194\155"), '"\\27[31m\\x9B\\xC3\\xA9\\xC2\\x9B"')
  t.eq(inspect.value("é\194\155"), '"é\\u{9B}"')
  t.eq(inspect.values(table.pack(nil, errors.new("io", "bad"))), "nil, bad (io)")
  local deep = {}
  local at = deep
  for _ = 1, 50 do at.d = {} at = at.d end
  t.has(inspect.value(deep), "{...}")
  t.has(inspect.value(setmetatable({}, { __tostring = function() error("x") end })), "tostring fails")
end

function tests.regions_and_windows()
  t.eq(shot.parse_region("1,2,30,40"), { x = 1, y = 2, width = 30, height = 40 })
  t.eq(shot.parse_region(" -1, 2, 30, 40 ").x, -1)
  for _, word in ipairs { "many", "0", "-1", "1.5" } do
    local child = deskpilot("shot", "--max-bytes=" .. word)
    t.eq(child.status, 2)
    t.has(child.stderr, "--max-bytes wants a number of bytes, not '" .. word .. "'")
  end
  for _, word in ipairs { "1,2,3", "1,2,0,4", "a,b,c,d", "1,2,3,4,5", "", "1,2,3,99999999999999999999" } do
    t.eq(shot.parse_region(word), nil, word)
  end
  local list = { { id = 16, title = "Editor - notes", class = "Mousepad" },
    { id = 32, title = "notes", class = "XTerm", active = true } }
  t.eq(windows.find(list, "notes").id, 32, "an exact title first")
  t.eq(windows.find(list, "mouse").id, 16)
  t.eq(windows.find(list, "0x10").id, 16)
  t.eq(windows.find(list, "active").id, 32)
  t.has(select(2, windows.find(list, "zz")), "there are 'Editor - notes' and 'notes'")
  t.eq(windows.find(list, ""), nil)
end

-- A run's events as the display is told of them; returns what it wrote.
local function shown(settings, events)
  local out = {}
  settings.write = function(words) out[#out + 1] = words end
  settings.columns = function() return 60 end
  local listener = progress.new(settings)
  for _, event in ipairs(events) do
    local fn = listener[event[1]]
    if fn then fn({ dir = { path = "runs/x" } }, event[2]) end
  end
  listener.close()
  return table.concat(out)
end

local events = {
  { "run_start", { at = 0, task = "Work \27]0;evil\7out\nit" } }, { "turn_start", { at = 0.1, turn = 1 } },
  { "observed", { at = 0.2 } }, { "phase_change", { from = "offline", to = "tactical", at = 0.2 } },
  { "model_request", { at = 0.2, persona = "executor" } },
  { "model_reply", { at = 1.2, persona = "executor", seconds = 1, content = "I \27[2Jclick" } },
  { "action", { at = 1.2, tool = "click_element", args = { position = { 1, 2 }, label = "7\27[0m" } } },
  { "action_result", { at = 1.3, tool = "click_element", args = { position = { 1, 2 }, label = "7\27[0m" },
    ok = true, text = "clicked\194\155" } },
  { "settled", { at = 1.5, seconds = 0.5 } }, { "turn_end", { at = 1.6, seconds = 1.5 } },
  { "guard", { name = "loop", message = "again" } }, { "error", { name = "hook", message = "bad" } },
  { "run_end", { at = 2, status = "succeeded", reason = "done", turns = 1, actions = 1, seconds = 2 } },
}

function tests.progress_as_plain_lines()
  local words = shown({ tty = false }, events)
  t.eq(words, "mission: Work ]0;evil out it\n"
    .. "turn 1 [tactical] 1.5s  ✓ click_element(7 [0m, [1,2]) — clicked\n"
    .. "  guard loop: again\n  error in hook: bad\n"
    .. "succeeded: done\n1 turn, 1 action in 0:02 (model 50%, looking 0%, acting 0%, settling 25%, the rest 25%)\n"
    .. "final phase: tactical\nrun: runs/x (0.0 MB)\n")
  t.has(shown({ tty = false, level = "verbose" }, events), "  executor: I [2Jclick\n")
  t.eq(shown({ tty = false, level = "quiet" }, events), "  error in hook: bad\nsucceeded: done\n")
end

-- An answer that fails is announced as model_reply and then as error, is a result of the turn, and may be the end.
local function failing(text_of_end, ...)
  local list = { { "run_start", { at = 0 } }, { "turn_start", { at = 0, turn = 1 } } }
  for _, event in ipairs { ... } do list[#list + 1] = event end
  list[#list + 1] = { "run_end", { at = 2, status = "error", reason = text_of_end, turns = 1, actions = 0,
    seconds = 2 } }
  return list
end

function tests.a_failure_is_told_once()
  local words = "no model server answers at http://x (connection refused)"
  local function asked(persona) return { "model_request", { at = 1, turn = 1, persona = persona } } end
  local reply = { "model_reply", { at = 1, turn = 1, seconds = 1, error = { code = "unavailable", message = words } } }
  local told = { "error", { at = 1, turn = 1, name = "executor", message = words } }
  local action = { "action", { at = 1, turn = 1, tool = "(none)", args = {} } }
  local result = { "action_result", { at = 1, turn = 1, tool = "(none)", args = {}, ok = false,
    text = "the model did not answer: " .. words } }
  local turn_end = { "turn_end", { at = 1, turn = 1 } }
  for _, level in ipairs { "normal", "quiet", "verbose" } do
    local function count(list)
      local out = shown({ tty = false, level = level }, list)
      t.eq(select(2, out:gsub("connection refused", "")), 1, level .. ":\n" .. out)
      return out
    end
    t.has(count(failing(words, asked "executor", reply, told, turn_end)), "error: " .. words .. "\n")
    count(failing("out of turns", asked "executor", reply, told, action, result, turn_end))
    t.has(count(failing("it failed 3 times: " .. words, asked "strategist", reply, told, asked "executor", reply, told,
      action, result, turn_end)), "error: it failed 3 times: (as above)\n")
  end
  local out = shown({ tty = false }, failing("b", { "error", { name = "x", message = "one" } },
    { "error", { name = "y", message = "two" } }))
  t.has(out, "  error in x: one\n  error in y: two\nerror: b\n")
  out = shown({ tty = false }, failing("b", { "error", { name = "x",
    message = "m.lua:3: it broke\nstack traceback:\n\tm.lua:3: in function 'f'" } }))
  t.has(out, "  error in x: m.lua:3: it broke\n", "where it was called from is in the report")
  t.ok(not out:find("traceback", 1, true), out)
end

function tests.own_files_are_told_at_the_start()
  t.has(shown({ tty = false }, { { "run_start", { at = 0, task = "x", own_files = {
    { kind = "policy", name = "three_body", replaces = true, edited = true },
    { kind = "prompt", name = "vision", replaces = true, edited = false },
    { kind = "tool", name = "raise\27[2J" } } } } }),
    "mission: x\nyour own files: policy three_body (edited), prompt vision (as it ships) and tool raise [2J\n")
end

local of_a_script = {
  { "run_start", { at = 0, mission = "m", script = true } },
  { "desk_call", { at = 0, call = "mouse.click", target = "push button 'a\27[2Jb'", ok = true, acts = true } },
  { "desk_call", { at = 1, call = "windows.find", target = "title 'x'", ok = true, acts = false, text = "'x'" } },
  { "desk_call", { at = 2, call = "mouse.move", target = "5, 5", ok = true, acts = true, times = 40 } },
  { "desk_call", { at = 3, call = "clipboard.get", ok = false, acts = false, text = "no answer" } },
  { "desk_call", { at = 4, call = "windows.focus", target = "'y'", ok = false, acts = true, text = "m.lua:3: no y",
    raised = true } },
  { "error", { at = 4, name = "script", message = "m.lua:3: no y", traceback = "m.lua:3: in f\nm.lua:9: in g",
    ends = true } },
  { "run_end", { at = 5, status = "error", reason = "m.lua:3: no y", turns = 0, actions = 0, seconds = 5 } },
}

function tests.progress_of_a_script()
  local ending = "error: m.lua:3: no y\n    m.lua:3: in f\n    m.lua:9: in g\n"
  t.eq(shown({ tty = false }, of_a_script), "script: m\n0:00  ✓ mouse.click(push button 'a [2Jb')\n"
    .. "0:02  ✓ mouse.move(5, 5) 40 times\n0:03  ✗ clipboard.get() — no answer\n0:04  ✗ windows.focus('y')\n"
    .. ending .. "script: 44 desk calls in 0:05\nrun: runs/x (0.0 MB)\n")
  t.has(shown({ tty = false, level = "verbose" }, of_a_script), "0:01  ✓ windows.find(title 'x') — 'x'\n")
  t.eq(shown({ tty = false, level = "quiet" }, of_a_script), ending)
end

function tests.why_a_commander_changes_the_phase_is_one_line()
  local function words(level, event)
    event.from, event.to = "INIT", "EXECUTION"
    return shown({ tty = false, level = level }, { { "phase_change", event } })
  end
  local why = { rationale = "The window\nis \27open.", tools_rationale = "Clicks are enough." }
  t.eq(words("normal", why), "  phase: INIT -> EXECUTION — The window is open.; tools: Clicks are enough.\n")
  t.eq(words("quiet", why), "")
  t.eq(words("normal", { rationale = "Both.", tools_rationale = "Both." }), "  phase: INIT -> EXECUTION — Both.\n")
  t.eq(words("normal", { why = "each state of a machine" }), "", "what a policy does by itself")
  t.eq(words("verbose", { why = "each state" }), "  phase: INIT -> EXECUTION — each state\n")
  local long = words("normal", { rationale = ("word "):rep(100), tools_rationale = ("tool "):rep(100) })
  t.eq(select(2, long:gsub("\n", "")), 1)
  t.ok(#long < 420, #long)
end

function tests.the_final_phase_is_the_runs_own()
  local words = shown({ tty = false }, { { "phase_change", { to = "VERIFICATION" } },
    { "phase_change", { to = "OBSERVE", goal = "1.1" } }, { "run_end", { status = "failed" } } })
  t.has(words, "final phase: VERIFICATION\n")
end

function tests.progress_on_a_terminal()
  local words = shown({ tty = true }, events)
  t.has(words, "\r\27[K")
  t.has(words, "executor thinks")
  t.ok(words:find("runs/x %(0.0 MB%)\n$"), "the live line is gone at the end")
  local stripped = words:gsub("\r\27%[K", "")
  t.ok(not stripped:find("\27", 1, true), "nothing of the run's words is obeyed")
  for line in words:gmatch("\r\27%[K([^\r\n]*)\r") do
    t.ok((utf8.len(line) or 999) <= 60, "wider than the terminal: " .. line)
  end
end

function tests.progress_bears_events_without_fields()
  for _, level in ipairs { "normal", "verbose", "quiet" } do
    local empty = {}
    for i, event in ipairs(events) do empty[i] = { event[1], {} } end
    t.ok(shown({ tty = true, level = level }, empty))
  end
end

function tests.the_spinner_does_not_keep_the_loop_alive()
  local listener = progress.new { tty = true, write = function() end, columns = function() return 40 end }
  listener.run_start({}, { at = 0 })
  task.sleep(0.2)
  listener.close()
  t.ok(true)
end

return tests
