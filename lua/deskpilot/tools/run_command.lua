local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local shell = require "deskpilot.agent.shell"
local text = require "deskpilot.base.text"
local uv = require "luv"

-- What few runs need is loaded by those that do.
local function service() return require "deskpilot.agent.command_service" end

-- A shell that reads no start-up files. cmd takes what stands between the outer quotes as it is.
local function shell_of(command)
  if require "native.system".platform == "windows" then
    if command:find "\n" then return errors.fail("invalid", "a command has to be one line here") end
    return { "cmd", "/d", "/v:off", "/s", "/c", '"' .. command .. '"', verbatim = true }
  end
  return { "/bin/sh", "-c", command }
end

-- Where every command begins: as configured, else the mission's own folder, else where the program was started.
local function folder_of(ctx)
  local set = ctx.config:get "run_command.folder"
  return set ~= "" and set or ctx.run.folder or uv.cwd()
end

local function run_here(ctx, command, seconds, most)
  local argv, wrong = shell_of(command)
  if not argv then return nil, wrong end
  argv.cwd, argv.timeout, argv.max_output = folder_of(ctx), seconds, most
  argv.input = "" -- a command that asks for something finds the end of its input
  local result, err = ctx.desk.apps.run(argv)
  if result then return result end
  local stdout = errors.is(err, "timed_out") and text.trim(err.stdout or "") or ""
  return nil, stdout ~= "" and errors.new("timed_out", "%s; its output until then: %s", tostring(err),
    text.cut(stdout, 2000)) or err
end

local function words_of(result)
  local parts = { ("exit status %d"):format(result.status) }
  for _, name in ipairs { "stdout", "stderr" } do
    local words = text.trim(result[name])
    if words ~= "" then parts[#parts + 1] = name .. ":\n" .. words end
  end
  if #parts == 1 then parts[2] = "no output" end
  if result.truncated then parts[#parts + 1] = "(the rest of the output is left out)" end
  return table.concat(parts, "\n")
end

---@type deskpilot.tool
return {
  api = 1,
  name = "run_command",
  group = "command",
  options = {
    folder = { type = "string", default = "", about = "folder in which every command begins; the mission's own unless "
      .. "set" },
    seconds = { type = "number", default = 60, min = 1, max = 3600, about = "seconds after which a command is killed" },
    max_output = { type = "integer", default = 16000, min = 100, max = 1048576,
      about = "bytes that are kept of each of its outputs" },
    service = { type = "string", default = "", about = "address of a command service (http://127.0.0.1:8700/run) that "
      .. "runs them in place of this machine; a project cannot name one" },
    service_key_file = { type = "secret_file", about = "file whose first line is the key for it" },
  },
  description = "Run one command in a shell of its own. Every command begins in the same folder, and nothing of it "
    .. "(cd, variables) lasts for the next one. It is given no input.",
  parameters = fields.object {
    { name = "command", type = "string", minLength = 1, maxLength = shell.longest, description = "The command." },
  },
  anywhere = true,
  lasting = true,
  repeatable = false,
  -- A person is asked unless the configuration allows it; where nobody is there it is not run.
  dangerous = function(args, config) return not shell.is_listed(config, args.command) end,
  check = function(ctx, args)
    local problem = shell.problem(ctx.config, args.command)
    if problem then return errors.fail("forbidden", "refused: %s", problem) end
    return true
  end,
  run = function(ctx, args)
    local seconds, most = ctx.config:get "run_command.seconds", ctx.config:get "run_command.max_output"
    local address = shell.service(ctx.config)
    local result, err
    if address then
      result, err = service().run(address, { command = args.command, folder = ctx.config:get "run_command.folder",
        seconds = seconds, max_output = most, key = ctx.config:secret "run_command.service_key_file" })
    else
      result, err = run_here(ctx, args.command, seconds, most)
    end
    if not result then return nil, err end
    local words = words_of(result)
    if result.status ~= 0 then return errors.fail("io", "%s", words) end
    return { text = words, data = { status = result.status, stdout = result.stdout, stderr = result.stderr } }
  end,
}
