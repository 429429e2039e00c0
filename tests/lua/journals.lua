--- Every journal that a test's runs have written is valid: checked when its folder is removed, at the latest when the
--- test file ends. Journals that a test has made up have no first line of ours, and are left alone.
local uv = require "luv"
local events = require "deskpilot.agent.run_events"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"

local journals = {}

--- Journals whose events a test has made up, or that are broken on purpose, by their paths.
---@type table<string, true>
journals.made_up = {}

local deepest = 6 -- levels below a test's folder; a browser's profile has many more

--- The run directories below a folder.
---@return string[] journals their paths
function journals.below(folder, depth, found)
  found, depth = found or {}, depth or 1
  local scan = depth <= deepest and uv.fs_scandir(folder)
  while scan do
    local name, kind = uv.fs_scandir_next(scan)
    if not name then break end
    local path = files.join(folder, name)
    if name == "journal.jsonl" and kind == "file" then found[#found + 1] = path
    elseif kind == "directory" and name ~= "screenshots" and name ~= "requests" then
      journals.below(path, depth + 1, found)
    end
  end
  return found
end

--- What is wrong with a journal: a sentence for each of its first five wrong lines.
---@param path string
---@return string[] problems, integer lines
function journals.problems(path)
  local text, problems, lines = files.read(path) or "", {}, 0
  for row, ending in text:gmatch "([^\n]+)(\n?)" do
    lines = lines + 1
    local line = json.decode(row)
    local why = nil
    if type(line) ~= "table" then
      if ending ~= "" then why = "is no JSON" end -- a kill may cut the last one
    else
      why = events.problem(line)
      if not why and lines > 1 and line.number ~= lines - 1 then why = ("has the number %s"):format(line.number) end
    end
    if why and #problems < 5 then problems[#problems + 1] = ("line %d: %s"):format(lines, why) end
  end
  return problems, lines
end

local checked = {} -- the sizes that journals had then; a folder is removed with its folders, each of them again

--- Checks every journal of ours below a folder.
---@param folder string
---@param report fun(ok: boolean, message: string)
function journals.check(folder, report)
  for _, path in ipairs(journals.below(folder)) do
    local text = not journals.made_up[path] and files.read(path) or ""
    if text:find('^{"event":"journal"') and checked[path] ~= #text then
      checked[path] = #text
      local problems = journals.problems(path)
      report(#problems == 0, path .. ": " .. table.concat(problems, "\n    "))
    end
  end
end

return journals
