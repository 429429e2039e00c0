--- `deskpilot eval`: a piece of Lua on the live desktop, for shells and scripts of other languages.
local chunk = require "deskpilot.cli.chunk"
local config_files = require "deskpilot.base.config_files"
local desktop = require "deskpilot.cli.desktop"
local errors = require "deskpilot.base.errors"
local hold = require "deskpilot.cli.hold"
local inspect = require "deskpilot.cli.inspect"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"

local eval = {
  summary = "Run a piece of Lua with `desk`, as at the prompt, and print its values.",
  order = 30,
  usage = "eval [--json] [--shared] [--desktop current|private[:WxH]] [--app COMMAND]... LUA|- [--] [ARGUMENT]...",
  options = { { name = "json", help = "print each value as JSON, one per line" },
    hold.option, table.unpack(desktop.options) },
  details = [[
LUA is an expression or statements; - reads it from standard input. The arguments are its `...`; put --
before those that begin with a dash. help() and what else the prompt has are there.

  deskpilot eval 'desk.elements.find { name = "Save" }'
  deskpilot eval --json 'desk.windows.list()'
  deskpilot eval 'desk.keyboard.type(...)' 'some text'

Exit status 0: it ran; 1: it failed, by an error or by returning nil (or false) and an error; 2: it does not
compile, or the configuration is wrong; 3: the machine lacks something (no display); 130: interrupted, as by
the emergency-stop hotkey.]],
}

local function complain(status, message)
  terminal.complain(message)
  return status
end

-- What json.encode cannot know: error values are tables with a metatable, nil is null.
local function json_of(value)
  if value == nil then return "null" end
  if errors.is(value) then value = { code = value.code, message = value.message } end
  return terminal.json(value)
end

local function print_values(values, as_json)
  if values.n == 0 then return true end
  if not as_json then
    terminal.put(inspect.values(values), "\n")
    return true
  end
  local lines = {}
  for i = 1, values.n do
    local ok, line = pcall(json_of, values[i])
    if not ok then return nil, ("value %d has no form in JSON: %s"):format(i, tostring(line)) end
    lines[i] = line
  end
  io.stdout:write(table.concat(lines, "\n"), "\n")
  return true
end

-- Runs it with a desktop that is there for as long as it runs, however it ends.
local function run(source, options, arguments, hotkey)
  local where, session = desktop.start(options)
  if not where then return complain(errors.is(session, "invalid") and 2 or 3, tostring(session)) end
  hotkey:watch_private(session)
  local open_desk, opened = chunk.desk_opener(where, not session and function(desk)
    hold.before_acts(desk, "deskpilot eval", options.shared)
  end or nil)
  local closing <close> = setmetatable({}, { __close = function()
    if opened() then opened():close() end
    if session then session:abandon() end
  end })
  assert(closing)
  local fn, why = chunk.compile(source, "=eval", chunk.environment(open_desk))
  if not fn then return complain(2, inspect.error(why)) end
  local result = table.pack(task.start(fn, table.unpack(arguments)):wait())
  if not result[1] then
    if errors.is(result[2], "cancelled") then error(result[2], 0) end
    return complain(errors.is(result[2], "unavailable") and 3 or 1, chunk.error_words(result[2]))
  end
  local values = table.pack(table.unpack(result, 2, result.n))
  local printed, failure = print_values(values, options.json)
  io.stdout:flush()
  if not printed then return complain(1, failure) end
  return not values[1] and errors.is(values[2]) and 1 or 0
end

function eval.run(options, positional)
  local source = positional[1]
  if not source then return complain(2, "eval wants a piece of Lua: deskpilot eval '1 + 1' (see eval --help)") end
  if source == "-" then
    source = io.read("a") or ""
    source = source:gsub("^#[^\n]*", "") -- a script's first line for the shell
  end
  local found, wrong = config_files.read()
  local placed, misplaced = config_files.search(found)
  if wrong or not placed then return complain(2, tostring(wrong or misplaced)) end
  local hotkey, why = stop_hotkey.start(found)
  if not hotkey then return complain(2, tostring(why)) end
  local closing <close> = setmetatable({}, { __close = function() hotkey:close() end })
  assert(closing)
  return run(source, options, { table.unpack(positional, 2) }, hotkey)
end

return eval
