--- The runs as resources: `deskpilot://runs/RUN/FILE`. Nothing but regular files within folders of runs can be read.
local files = require "deskpilot.base.files"
local native = require "native.image"
local old_runs = require "deskpilot.agent.old_runs"
local text = require "deskpilot.base.text"
local uv = require "luv"

local run_files = {}

local scheme = "deskpilot://runs/"
local largest = 8 * 1024 * 1024 -- bytes of a file that is sent; longer texts are cut
local most_pictures = 20 -- of the newest run, that are listed

local types = { json = "application/json", jsonl = "application/jsonl", html = "text/html", md = "text/markdown",
  lua = "text/x-lua", txt = "text/plain", png = "image/png", jpg = "image/jpeg" }

local function type_of(path)
  return types[path:match "%.(%w+)$" or ""]
end

local function entry(run, name, size)
  return { uri = scheme .. run .. "/" .. name, name = run .. "/" .. name, mimeType = type_of(name), size = size }
end

-- The newest pictures of a run.
local function pictures_of(run, folder)
  local names = files.list(files.join(folder, "screenshots"))
  table.sort(names, function(a, b) return a > b end)
  local list = {}
  for _, name in ipairs(names) do
    local shown = #list < most_pictures and text.starts(type_of(name) or "", "image/")
    if shown then list[#list + 1] = entry(run, "screenshots/" .. name) end
  end
  return list
end

local function list(base)
  local found = {}
  for i, run in ipairs(old_runs.list(base)) do
    for _, name in ipairs { "result.json", "journal.jsonl", "trajectory.json", "report.html" } do
      local stat = uv.fs_lstat(files.join(run.folder, name))
      if stat and stat.type == "file" then found[#found + 1] = entry(run.name, name, stat.size) end
    end
    if i == 1 then
      local pictures = pictures_of(run.name, run.folder)
      table.move(pictures, 1, #pictures, #found + 1, found)
    end
  end
  return found
end

-- The path of a resource within its run: plain names with slashes between them.
local function parse(uri)
  if not text.starts(uri, scheme) then return nil end
  local run, path = uri:sub(#scheme + 1):match "^([%w_-]+)/([%w_./-]+)$"
  if not run or ("/" .. path .. "/"):find("/.", 1, true) or path:find("//", 1, true) then return nil end
  return run, path
end

-- Where the file really is, if that is within the folder of a run and a file.
local function locate(base, run, path)
  for _, known in ipairs(old_runs.list(base)) do
    if known.name == run then
      local root, real = uv.fs_realpath(known.folder), uv.fs_realpath(files.join(known.folder, path))
      if not (root and real) then return nil end
      root, real = files.join(root), files.join(real)
      local stat = uv.fs_lstat(real)
      return text.starts(real, root .. "/") and stat and stat.type == "file" and real or nil
    end
  end
end

local function read(base, uri)
  local run, path = parse(uri)
  local kind = path and type_of(path)
  local where = kind and locate(base, run, path)
  if not where then return nil end
  local bytes = files.read(where, largest)
  if not bytes then return nil end
  local is_picture = text.starts(kind, "image/")
  return { { uri = uri, mimeType = kind, text = not is_picture and bytes or nil,
    blob = is_picture and native.base64(bytes) or nil } }
end

--- The runs below a folder.
---@param base string
---@return deskpilot.mcp_resources
function run_files.of(base)
  return {
    templates = { { uriTemplate = scheme .. "{run}/{+path}", name = "a file of a run",
      description = "journal.jsonl, result.json, trajectory.json, screenshots/step_0001.png, ..." } },
    list = function() return list(base) end,
    read = function(uri) return read(base, uri) end,
    complete = function(name, value)
      local values = {}
      for _, run in ipairs(name == "run" and old_runs.list(base) or {}) do
        if text.starts(run.name, value) then values[#values + 1] = run.name end
      end
      return values
    end,
  }
end

return run_files
