--- A long mission that outlives the program: a list is written into a file, entry by entry, in a real editor on a
--- private desktop. A server plays the three_body model; it goes by what the request says is on the screen, as a model
--- does, so that it can go on wherever a run is taken up.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"
local three_body_play = require "three_body_play"

local list_play = {}

local because = "The list in the editor is not complete yet, so the next entry has to be written and saved at once."

local function calls(...)
  local list = {}
  for i, call in ipairs { ... } do
    list[i] = { id = "call_" .. i, type = "function",
      ["function"] = { name = call[1], arguments = json.encode(call[2]) } }
  end
  return { body = { id = "chatcmpl-1", object = "chat.completion", created = 1, model = "scripted",
    choices = { { index = 0, finish_reason = "tool_calls",
      message = { role = "assistant", content = json.null, tool_calls = list } } },
    usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } } }
end

local script = {}

function script.strategist()
  return { body = { id = "chatcmpl-1", object = "chat.completion", created = 1, model = "scripted",
    choices = { { index = 0, finish_reason = "stop", message = { role = "assistant",
      content = "1. MISSION RESTATEMENT\nWrite the list." } } },
    usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } } }
end

function script.tactician()
  return calls({ "spawn_executor_prompt", { prompt = "Write entry after entry.", phase = "VERIFICATION",
    rationale = "seen" } }, { "update_phase_tools", { tool_names = { "press_key", "type_text", "report_completion" },
    rationale = "needed" } })
end

-- Three turns for an entry: to the end of the text, the entry, save.
local function executor(text, entries)
  local shown = text:match '%] text "" [^\n]- = "([%d ]*)"' or ""
  local written = select(2, shown:gsub("%d%d", ""))
  local unsaved = text:find 'active window: "%*'
  local last = text:match "RECENT ACTIONS:\n(.-)\n\n" or ""
  last = last:match "([^\n]*)$"
  if unsaved then return calls { "press_key", { key = "ctrl+s", justification = because } } end
  if written >= entries then
    return calls { "report_completion", { evidence = ("The editor shows the text %q, and its title has no star: it is "
      .. "saved, and nothing else is asked for in this mission."):format(shown) } }
  end
  if last:find("ctrl+End", 1, true) then
    return calls { "type_text", { text = ("%02d "):format(written + 1), justification = because } }
  end
  return calls { "press_key", { key = "ctrl+End", justification = because } }
end

--- What the file holds when the mission has succeeded.
function list_play.whole(entries)
  local parts = {}
  for i = 1, entries do parts[i] = ("%02d "):format(i) end
  return table.concat(parts)
end

--- A server that plays the model; `asked` counts the requests of each persona.
---@param entries integer
function list_play.serve(entries)
  local asked = {}
  local server = model_server.start(function(request)
    local who = three_body_play.persona(request)
    asked[who] = (asked[who] or 0) + 1
    if script[who] then return script[who]() end
    local text = told.words(request)
    table.insert(asked, text)
    return executor(text, entries)
  end)
  return server, asked
end

--- Writes the mission and its empty list into a new folder.
---@param entries integer
---@param server table as list_play.serve gives it
---@param more string? fields for the mission's table
---@return table place { folder, list, mission, argv: for spawn.start }
function list_play.place(entries, server, more)
  local folder = spawn.folder()
  local self = { folder = folder, list = files.join(folder, "list.txt"), mission = files.join(folder, "m.lua") }
  assert(files.write(self.list, ""))
  assert(files.write(self.mission, ([[
    local list, whole = %q, %q
    return { task = "Write the numbers into the list, one by one, and save after each.", policy = "three_body",
      desktop = { kind = "private", size = { 900, 600 }, apps = { { "mousepad", "--disable-server", list } } },
      limits = { turns = %d }, timing = { verify = 1 }, %s
      verify = function()
        local file = assert(io.open(list, "rb"))
        local text = file:read "a"
        file:close()
        return text:gsub("\n", "") == whole, "the list holds " .. text
      end }]]):format(self.list, list_play.whole(entries), entries * 6, more or "")))
  self.argv = { spawn.program, "run", self.mission, "--json", "--runs", folder .. "/runs", "--endpoint",
    server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set", "model.retries=0" }
  return self
end

--- The only run below a place that is not among `known`.
function list_play.new_run(place, known)
  for _, name in ipairs(files.list(files.join(place.folder, "runs"))) do
    local path = files.join(place.folder, "runs", name)
    if not name:find "^%." and not (known and known[path]) then return path end
  end
end

return list_play
