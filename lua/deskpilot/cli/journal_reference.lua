--- The pages about the journal, made of the events that are declared: docs/journal.md for people who write hooks and
--- guards, docs/journal.schema.json for programs that read journals.
local events = require "deskpilot.agent.run_events"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local plugins = require "deskpilot.agent.plugins"
local text = require "deskpilot.base.text"

local journal_reference = {}

local head = [[
# The journal

Made by `./dev docs` from the events that are declared in the code.

Every event of a run is one line of `journal.jsonl` in its folder, written as it happens, so that a run that was killed
leaves a file that every reader accepts. A mission's hooks and guards are functions named after the events: what they
are told beside these fields, and what they may return, is in [hooks.md](hooks.md); a guard's function `every` hears all
that it has no other function for.

The first line says of which version the format is. It grows when a reader for the version before would misread a line;
new events and new fields do not count. [journal.schema.json](journal.schema.json) is the JSON Schema (2020-12) of one
line. Policies, guards and tools declare events of their own in their files:

    events = { { name = "page_saved", about = "A page was saved.", fields = {
      { "path", "string", "where" }, { "bytes?", "integer", "how large it is" } } } },

and announce them by `run:emit("page_saved", { path = path })`. A field whose name ends in `?` may be missing.

## What every line has
]]

local function table_of(fields)
  if #fields == 0 then return "No fields of its own.\n" end
  local rows = { "| field | type | what it says |", "| --- | --- | --- |" }
  for _, field in ipairs(fields) do
    local name, optional, kind = events.describe(field)
    rows[#rows + 1] = ("| `%s` | %s%s | %s |"):format(name, kind, optional and ", may be missing" or "", field[3])
  end
  return table.concat(rows, "\n") .. "\n"
end

-- Whatever ships has declared its events.
local function load_all()
  for _, kind in ipairs { "guards", "policies", "tools" } do
    for _, name in ipairs((lookup.list(kind))) do assert(plugins.load(kind, name, true)) end
  end
end

local function page()
  local parts = { head, table_of(events.common()) }
  for _, name in ipairs(events.names()) do
    local event = events.get(name)
    parts[#parts + 1] = ("## %s\n\n%s\n\n%s"):format(name, event.about, table_of(event.fields))
  end
  return table.concat(parts, "\n")
end

local width = 118

-- JSON that people can read and compare: what fits on a line is on one.
local function pretty(value, indent)
  local short = json.encode(value)
  if type(value) ~= "table" or #indent + #short <= width then return short end
  local inner, parts = indent .. "  ", {}
  if #value > 0 then
    for i, item in ipairs(value) do parts[i] = inner .. pretty(item, inner) end
    return "[\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "]"
  end
  for _, key in ipairs(text.keys(value)) do
    parts[#parts + 1] = ("%s%s: %s"):format(inner, json.encode(key), pretty(value[key], inner))
  end
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
end

--- The files, by their paths in the checkout.
---@return table<string, string>
function journal_reference.files()
  load_all()
  return { ["docs/journal.md"] = page(), ["docs/journal.schema.json"] = pretty(events.schema(), "") .. "\n" }
end

return journal_reference
