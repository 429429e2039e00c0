--- The servers of the Model Context Protocol that a run uses: connected when it begins, ended with it. Their tools are
--- tools of the run, SERVER__TOOL, in a group for each server.
local allowed_files = require "deskpilot.agent.allowed_files"
local elicitation = require "deskpilot.agent.elicitation"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local mcp_results = require "deskpilot.agent.mcp_results"
local questions = require "deskpilot.agent.questions"
local servers = require "deskpilot.mcp.server"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local tools = require "deskpilot.mcp.tools"

local mcp = {}

local told = 4000      -- characters of a result that the next request tells
local note_every = 5   -- seconds between two notes of a call's progress
local longest_words = 500 -- characters of what a server says of one argument

--- A server of a run.
---@class deskpilot.run_server
---@field name string
---@field options deskpilot.mcp_options
---@field server deskpilot.mcp.server
---@field names table<string, string> what its tools are called here, by its own names
---@field changed boolean? whether its list is to be read again
---@field problem string? why it cannot be used

---@class deskpilot.run_mcp
---@field list deskpilot.run_server[]

-- --- tools ----------------------------------------------------------------------------------------------------

local function needs_consent(entry, tool)
  if entry.options.approved(tool.name) then return false end
  return entry.options.consent == "always" or not tool.read_only
end

-- What stands in a definition is read as ours by a model: nothing in it can pass for a mark or a control token.
local function cleaned(run, value, depth)
  if type(value) ~= "table" or depth > 20 then return value end
  local copy = setmetatable({}, getmetatable(value))
  for key, inner in pairs(value) do
    local words = (key == "description" or key == "title") and type(inner) == "string"
    copy[key] = words and run.marks:plain(text.cut(inner, longest_words)) or cleaned(run, inner, depth + 1)
  end
  return copy
end

local function progress_notes(run, name)
  local last = task.now()
  return function(progress)
    if task.now() - last < note_every then return end
    last = task.now()
    run:note(("%s: %g%s%s"):format(name, progress.progress, progress.total and (" of %g"):format(progress.total) or "",
      progress.message and ", " .. progress.message or ""))
  end
end

local function request_options(run, entry, name)
  return { timeout = entry.options.timeout, on_progress = progress_notes(run, name),
    ask = function(_, params) return elicitation.ask(run, entry.server.label, params) end }
end

local function definition_of(run, entry, tool, name)
  local asks = needs_consent(entry, tool)
  return { api = 1, name = name, group = entry.name, foreign = true,
    description = ("%s (of %s)"):format(run.marks:plain(tool.description), entry.server.label),
    parameters = cleaned(run, tool.schema, 0),
    acts = false, anywhere = true, looks = tool.read_only and not asks or nil, dangerous = asks or nil,
    lasting = not tool.read_only or nil, repeatable = tool.repeatable, tells = told, phases = entry.options.phases,
    server = entry.name,
    run = function(ctx, args)
      local raw, err = entry.server:call(tool, args, request_options(ctx.run, entry, name))
      if not raw then return nil, err end
      return mcp_results.of_call(raw, name)
    end }
end

local function note_all(run, sentences)
  for _, sentence in ipairs(sentences) do run:note(sentence) end
end

-- The names of all tools of the run.
local function taken(run)
  local box = run.toolbox
  while box.parent do box = box.parent end
  return box.tools
end

-- Puts the tools of a list in place of those that there were.
local function offer(run, entry, list)
  local there, problems = {}, {}
  for _, tool in ipairs(list) do
    if entry.options.wanted(tool.name) then
      local name = entry.names[tool.name] or tools.name(entry.name, tool.name, taken(run))
      local ok, err = run.toolbox:add(definition_of(run, entry, tool, name))
      if ok then there[tool.name], entry.names[tool.name] = true, name else problems[#problems + 1] = tostring(err) end
    end
  end
  for own, name in pairs(entry.names) do
    if not there[own] then
      run.toolbox:remove(name)
      entry.names[own] = nil
    end
  end
  note_all(run, problems)
  return #text.keys(there)
end

-- --- connecting -----------------------------------------------------------------------------------------------

local function give_up(run, entry, err)
  entry.problem = tostring(err)
  run:emit("error", { name = "mcp", message = entry.problem, code = errors.is(err) and err.code or nil })
end

local function introduce(run, entry, count)
  local found = entry.server.connection
  if not found then return end
  local info = found.info
  run:note(("%s (%s%s, revision %s) offers %d tool%s"):format(entry.server.label,
    run.marks:plain(info.name or "without a name"), info.version and " " .. run.marks:plain(info.version) or "",
    found.revision, count, count == 1 and "" or "s"))
end

-- Reads a server's list of tools, which connects it.
local function read(run, entry)
  entry.changed = false
  local list, problems = entry.server:tools(entry.options.connect_timeout)
  if not list then return give_up(run, entry, problems) end
  entry.problem = nil
  note_all(run, problems)
  introduce(run, entry, offer(run, entry, list))
end

local function begin(run, entry)
  if entry.options.asks then
    local allowed, err = questions.consent(run, { what = entry.options.asks })
    if not allowed then return give_up(run, entry, err) end
  end
  read(run, entry)
end

-- What a server may know of folders: those that the mission names.
local function roots_of(run)
  return function()
    local list = {}
    for _, folder in ipairs(allowed_files.folders(run)) do list[#list + 1] = { uri = allowed_files.url(folder) } end
    return json.list(list)
  end
end

local function entry_of(run, options)
  local connection = { client = { name = "deskpilot", version = system.version }, roots = roots_of(run) }
  for key, value in pairs(options.connection) do connection[key] = value end
  local entry = { name = options.name, options = options, names = {},
    server = servers.new(options.name, connection) }
  entry.server.on_change = function() entry.changed = true end
  return entry
end

-- Side by side: each may take a while.
local function at_once(list, fn)
  local work = {}
  for i, entry in ipairs(list) do work[i] = task.start(fn, entry) end
  for _, one in ipairs(work) do
    local ok, err = one:wait()
    if not ok then error(err, 0) end
  end
end

local function open(run, list)
  local self = { list = {} } ---@type deskpilot.run_mcp
  run.mcp = self
  for i, options in ipairs(list) do self.list[i] = entry_of(run, options) end
  run:on_close(function()
    at_once(self.list, function(entry) entry.server:close() end)
  end)
  -- One after the other where a person is asked.
  for _, entry in ipairs(self.list) do
    if entry.options.asks then begin(run, entry) end
  end
  at_once(self.list, function(entry)
    if not entry.options.asks then begin(run, entry) end
  end)
end

--- What listens to a run whose configuration names servers; nil where it names none.
---@param list deskpilot.mcp_options[]
---@return deskpilot.listener?
function mcp.listener(list)
  if #list == 0 then return nil end
  return {
    run_start = function(run) open(run, list) end,
    turn_start = function(run) mcp.refresh(run) end,
  }
end

-- --- for tools ------------------------------------------------------------------------------------------------

--- Reads the lists again of servers that say that theirs have changed.
---@param run deskpilot.run
function mcp.refresh(run)
  for _, entry in ipairs(run.mcp and run.mcp.list or {}) do
    if entry.changed then read(run, entry) end
  end
end

--- The groups of the tools of a run's servers, and that of their resources where there are some.
---@param run deskpilot.run
---@return string[]
function mcp.groups(run)
  local groups, resources = {}, false
  for _, entry in ipairs(run.mcp and run.mcp.list or {}) do
    groups[#groups + 1] = entry.name
    local found = entry.server.connection
    resources = resources or found ~= nil and found.capabilities.resources ~= nil
  end
  if resources then groups[#groups + 1] = "resources" end
  return groups
end

--- The servers of a run that are meant.
---@param run deskpilot.run
---@param name string? all of them if not given
---@return deskpilot.run_server[]? list, deskpilot.error? err code "not_found"
function mcp.servers(run, name)
  local list, names = {}, {}
  for _, entry in ipairs(run.mcp and run.mcp.list or {}) do
    names[#names + 1] = entry.name
    if not name or entry.name == name then list[#list + 1] = entry end
  end
  if #list > 0 then return list end
  return errors.fail("not_found", "%s", #names == 0 and "no MCP server is configured" or ("there is no MCP server %q; "
    .. "there is %s"):format(text.cut(tostring(name), 60), text.join(names)))
end

--- The tool of a server that is meant: by its whole name, or by the server's own where only one has it.
---@param run deskpilot.run
---@param name string
---@return string? name, deskpilot.error? err code "not_found", with what there is
function mcp.find(run, name)
  local tool = run.toolbox:get(name)
  if tool and tool.server then return name end
  local found, all, problems = {}, {}, {}
  for _, entry in ipairs(run.mcp and run.mcp.list or {}) do
    if entry.names[name] and run.toolbox:get(entry.names[name]) then found[#found + 1] = entry.names[name] end
    for _, whole in pairs(entry.names) do
      if run.toolbox:get(whole) then all[#all + 1] = whole end
    end
    if entry.problem then problems[#problems + 1] = entry.problem end
  end
  if #found == 1 then return found[1] end
  table.sort(all)
  local words = #found > 1 and "; it could be " .. text.join(found)
    or #all == 0 and "; there is none" or text.did_you_mean(name, all, "%q")
  if words == "" then words = "; there is " .. text.join({ table.unpack(all, 1, 20) }) end
  for _, problem in ipairs(problems) do words = words .. "; " .. text.cut(problem, 300) end
  return errors.fail("not_found", "%s", ("there is no MCP tool %q%s"):format(text.cut(text.one_line(name), 100), words))
end

--- Options for a request to a server of a run.
---@param run deskpilot.run
---@param entry deskpilot.run_server
---@param name string what is asked, for notes
---@return deskpilot.mcp.request_options
function mcp.request_options(run, entry, name) return request_options(run, entry, name) end

return mcp
