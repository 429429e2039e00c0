--- A command service: a server that runs commands for us on a machine of its own. It is sent
---
---   POST { "command": "ls", "folder": "/srv", "seconds": 60, "max_output": 16000 }
---
--- with its key as `Authorization: Bearer KEY`, and answers { "status": 0, "stdout": "", "stderr": "" }; `folder` is
--- missing where none is configured.
local endpoints = require "deskpilot.model.endpoint"
local errors = require "deskpilot.base.errors"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local command_service = {}

local grace = 10 -- seconds beyond the command's own for the way there and back

local function refused(status, body)
  return errors.fail(status == 401 and "refused" or "protocol", "the command service answered with the status %d: %s",
    status, text.cut(text.one_line(body), 300))
end

-- The answer, each output cut where it is longer than what was asked for.
local function read(body, most)
  local answer = json.decode(body)
  if type(answer) ~= "table" or math.type(answer.status) ~= "integer" then
    return errors.fail("protocol", "the command service did not answer with { status, stdout, stderr }: %s",
      text.cut(text.one_line(body), 200))
  end
  local result = { status = answer.status, truncated = false }
  for _, name in ipairs { "stdout", "stderr" } do
    local words = type(answer[name]) == "string" and answer[name] or ""
    result[name], result.truncated = words:sub(1, most), result.truncated or #words > most
  end
  return result
end

--- Has a command run.
---@param address string http of this machine, or https
---@param wanted { command: string, folder: string, seconds: number, max_output: integer, key: string? }
---@return { status: integer, stdout: string, stderr: string, truncated: boolean }? result, deskpilot.error? err
function command_service.run(address, wanted)
  local urls = endpoints.parse(address)
  if not urls or not urls.is_private then
    return errors.fail("invalid", "run_command.service must be an address with https, or one of this machine, not %s",
      text.cut(address, 100))
  end
  local result, err = http.request { method = "POST", url = address, headers = { ["Content-Type"] = "application/json",
    Authorization = wanted.key and "Bearer " .. wanted.key or nil }, body = json.encode { command = wanted.command,
      folder = wanted.folder ~= "" and wanted.folder or nil, seconds = wanted.seconds,
      max_output = wanted.max_output }, max_bytes = 4 * 1024 * 1024 + 4 * wanted.max_output,
    timeout = { total = wanted.seconds + grace } }
  if not result then return nil, err end
  if result.status ~= 200 then return refused(result.status, result.body) end
  return read(result.body, wanted.max_output)
end

return command_service
