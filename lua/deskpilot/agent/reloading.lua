--- Live reload: before each turn the files of the user's folders that were edited since the last one are taken anew:
--- the policy, tools, guards, prompts and profiles. A file that cannot be used is told of with its line, and what was
--- there before stays. They are found and trusted as at the start of a run.
local app_profiles = require "deskpilot.desk.app.profiles"
local lookup = require "deskpilot.base.lookup"
local plugins = require "deskpilot.agent.plugins"
local profiles = require "deskpilot.model.profile"

local reloading = {}

local kinds = { "policies", "tools", "guards", "prompts", "model/profiles", "apps" }

---@class deskpilot.reloading
---@field line_of (fun(path: string, key: string?): integer?)? the line of a file that is about a key
---@field prompt_problems (fun(name: string, words: string): { line: integer, message: string }[])?
---@field versions table<string, string>? of the files, by kind and name; nil before the first turn
---@field prompts table<string, string> the words of the user's prompts as they were when they could be used last
local Reloading = {}
Reloading.__index = Reloading

--- Watches the user's files from the first turn on.
---@param line_of (fun(path: string, key: string?): integer?)?
---@param prompt_problems (fun(name: string, words: string): { line: integer, message: string }[])? what is wrong with
---  the words of a prompt
---@return deskpilot.reloading
function reloading.new(line_of, prompt_problems)
  return setmetatable({ line_of = line_of, prompt_problems = prompt_problems, prompts = {} }, Reloading)
end

-- What is there now, by kind and name.
local function look()
  local versions = {}
  for _, kind in ipairs(kinds) do
    local _, own = lookup.list(kind)
    for name in pairs(own) do versions[kind .. "/" .. name] = lookup.version(kind, name) end
  end
  return versions
end

-- The sentences of an error, each with file and line where these can be known.
local function words_of(self, err)
  local lines = {}
  for _, one in ipairs(type(err) == "table" and err.problems or {}) do
    local path = err.message:match "%(([^()\n]+%.lua)%)" or err.message:match "^([^\n]-%.lua): "
    local line = self.line_of and path and self.line_of(path, one.path)
    lines[#lines + 1] = line and ("%s:%d: %s"):format(path, line, one.words) or one.words
  end
  return #lines > 0 and table.concat(lines, "\n") or tostring(err):match "^[^\n]*"
end

local function complain(self, run, id, err)
  run:emit("error", { name = "reload", code = type(err) == "table" and err.code or nil,
    message = ("%s was edited and cannot be used, so the one before goes on: %s"):format(id, words_of(self, err)) })
end

local function load(run, kind, name)
  local plugin, declaration = plugins.load(kind, name)
  if not plugin then return nil, declaration end
  if declaration then
    local ok, err = run.config:declare(declaration)
    if not ok then return nil, err end
  end
  return plugin
end

local take = {}

function take.tools(run, name)
  local tool, err = load(run, "tools", name)
  if not tool then return nil, err end
  return run.toolbox:replace(name, tool)
end

function take.guards(run, name)
  local guard, err = load(run, "guards", name)
  if not guard then return nil, err end
  for _, entry in ipairs(run.listeners) do
    if entry.name == "the guard " .. name then
      entry.listener = guard
      return true
    end
  end
  table.insert(run.listeners, 1, { name = "the guard " .. name, listener = guard })
  return true
end

take["model/profiles"] = function(run, name)
  local read, err = profiles.load(name)
  if not read then return nil, err end
  local clients = { run.model }
  for _, client in pairs(run.models or {}) do clients[#clients + 1] = client end
  for _, client in ipairs(clients) do
    if client.profile and client.profile.name == name then
      local found, why = profiles.of(client.name, run.config:get "models")
      if not found then return nil, why end
      client.profile = found
    end
  end
  return true
end

function take.apps(_, name)
  local _, problems = app_profiles.load()
  for _, err in ipairs(problems) do
    if err.message:find("/" .. name .. ".lua", 1, true) then return nil, err end
  end
  return true
end

local function prompt_file(name) return "prompts/" .. name .. ".md" end

-- The words of a prompt's file as it is now, or what is wrong with them.
local function prompt_words(self, name)
  lookup.pin(prompt_file(name), nil)
  local words, where = lookup.text(prompt_file(name))
  if not words then return nil, where end
  local wrong = {}
  for i, one in ipairs(self.prompt_problems and self.prompt_problems(name, words) or {}) do
    wrong[i] = ("%s:%d: %s"):format(where, one.line, one.message)
  end
  if #wrong > 0 then return nil, table.concat(wrong, "; ") end
  return words
end

-- Prompts are read for each request. One that cannot be used any more is told of, and its words before are given.
local function take_prompt(self, run, name)
  local words, err = prompt_words(self, name)
  if words then
    self.prompts[name] = words
  elseif self.prompts[name] then
    lookup.pin(prompt_file(name), self.prompts[name])
    complain(self, run, "the prompt " .. name, err)
  end
end

local function take_prompts(self, run, was, now)
  for id in pairs(now) do
    local name = id:match "^prompts/(.*)$"
    if name and (not was or was[id] ~= now[id]) then take_prompt(self, run, name) end
  end
  for id in pairs(was or {}) do
    local name = id:match "^prompts/(.*)$"
    if name and not now[id] then take_prompt(self, run, name) end
  end
end

--- Takes what was edited. To be called between turns.
---@param run deskpilot.run
---@param name string the policy that works
---@param policy deskpilot.policy as it was loaded last
---@return deskpilot.policy policy the edited one where it can be used
function Reloading:turn(run, name, policy)
  local helpers, now = lookup.refresh(), look()
  local was = self.versions
  self.versions = now
  take_prompts(self, run, was, now)
  if not was then return policy end
  for id, version in pairs(now) do
    local kind, own_name = id:match "^(.*)/([^/]*)$"
    local edited = was[id] ~= version or helpers and (kind == "tools" or kind == "guards" or kind == "policies")
    if edited and kind == "policies" then
      if own_name == name then
        local again, err = load(run, kind, name)
        if again then policy = again else complain(self, run, "the policy " .. name, err) end
      end
    elseif edited and kind ~= "prompts" then
      local ok, err = take[kind](run, own_name)
      if not ok then complain(self, run, ("the %s %s"):format(lookup.singular(kind), own_name), err) end
    end
  end
  return policy
end

return reloading
