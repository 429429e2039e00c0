--- What the configuration allows and denies an agent: safety.apps, safety.sites and safety.tools, each with `allow` and
--- `deny`, lists of patterns (base/glob.lua). Each place that says something (the user configuration, the project's
--- deskpilot.lua, the mission, the environment, a flag) has to agree: what one denies is denied, and where several
--- allow, a name has to be in the list of each. So a project makes things stricter and never laxer.
local address = require "deskpilot.desk.browser.address"
local errors = require "deskpilot.base.errors"
local glob = require "deskpilot.base.glob"
local text = require "deskpilot.base.text"

local lists = {}

--- The source whose lists only limit: entering a folder is no decision of the user's.
local PROJECT = "the project's deskpilot.lua"

--- Whether there is a list of this kind at all.
---@param config deskpilot.config
---@param kind "apps"|"sites"|"tools"
---@return boolean
function lists.any(config, kind)
  return #config:said(("safety.%s.allow"):format(kind)) > 0 or #config:said(("safety.%s.deny"):format(kind)) > 0
end

-- Why not; `first(patterns)` gives the pattern that is about what is meant.
local function refusal(config, kind, shown, first)
  local key = ("safety.%s.deny"):format(kind)
  for _, said in ipairs(config:said(key)) do
    local pattern = first(said.value)
    if pattern then return ("%s is denied by %s (%s, from %s)"):format(shown, key, pattern, said.source) end
  end
  key = ("safety.%s.allow"):format(kind)
  for _, said in ipairs(config:said(key)) do
    if not first(said.value) then return ("%s is not in %s (from %s)"):format(shown, key, said.source) end
  end
end

--- Why a tool may not be used; nil where it may.
---@param config deskpilot.config
---@param name string
---@return string? why
function lists.tool(config, name)
  return refusal(config, "tools", name, function(patterns) return glob.first(patterns, { name }) end)
end

--- Why an application may not be acted on; nil where it may.
---@param config deskpilot.config
---@param names string[] that it goes by
---@return string? why
function lists.app(config, names)
  local shown = text.cut(text.one_line(names[1]), 60)
  return refusal(config, "apps", shown, function(patterns) return glob.first(patterns, names) end)
end

-- --- sites ----------------------------------------------------------------------------------------------------

-- An origin taken apart: "https://[::1]:8080" -> "https", "[::1]", "8080".
local function parts_of(origin)
  local scheme, rest = origin:match("^(%a[%w+.-]*):(.*)$")
  local host = rest and rest:match("^//(.+)$") or ""
  local port = host:match(":(%d+)$")
  return scheme, port and host:sub(1, -#port - 2) or host, port
end

-- Whether a pattern is about an origin. "*.example.com" is example.com too; a scheme and a port may be given; a word
-- with a colon alone is a scheme ("file:").
local function fits_site(pattern, origin)
  local scheme, host, port = parts_of(origin)
  pattern = pattern:lower()
  if pattern:find("^%a[%w+.-]*:$") then return pattern == scheme .. ":" end
  if host == "" then return false end
  local wanted, rest = pattern:match("^(%a[%w+.-]*)://(.*)$")
  rest = (rest or pattern):gsub("/%*?$", "")
  local wanted_port = rest:match(":(%d+)$")
  if wanted_port then rest = rest:sub(1, -#wanted_port - 2) end
  if wanted and wanted ~= scheme or not wanted and scheme ~= "http" and scheme ~= "https" then return false end
  if wanted_port and wanted_port ~= (port or (scheme == "https" and "443" or "80")) then return false end
  return glob.matches(rest, host) or rest:sub(1, 2) == "*." and glob.matches(rest:sub(3), host)
end

--- What is wrong with a list of sites; nil where nothing is. A pattern that can fit no site would deny nothing.
---@param patterns string[]
---@return string?
function lists.sites_problem(patterns)
  for _, pattern in ipairs(patterns) do
    local host = pattern:gsub("^%a[%w+.-]*://", ""):gsub("/%*?$", "")
    if not pattern:find "^%a[%w+.-]*:$" and not host:find "^[%w.*_%[%]:-]+$" then
      return ("may hold only hosts such as *.example.com, with https:// and :8080 at most, and not '%s'"):format(
        text.cut(text.one_line(pattern), 80))
    end
  end
end

-- Of what is shown in an origin, the origin itself.
local function site_of(url)
  local inner = url:match("^[Bb][Ll][Oo][Bb]:(.*)$") or url:match("^[Vv][Ii][Ee][Ww]%-[Ss][Oo][Uu][Rr][Cc][Ee]:(.*)$")
  return address.origin(inner or url)
end

-- What an empty tab shows.
local empty = { [""] = true, ["about:blank"] = true, ["about:srcdoc"] = true, ["chrome://newtab/"] = true,
  ["chrome://new-tab-page/"] = true, ["edge://newtab/"] = true }

--- Why the page at an address may not be acted on or opened; nil where it may. An empty tab is no site.
---@param config deskpilot.config
---@param url string? nil where it cannot be told
---@return string? why
function lists.site(config, url)
  if not lists.any(config, "sites") then return nil end
  if not url then return "it cannot be told which site the browser shows, and safety.sites is set" end
  if empty[url] then return nil end
  local origin = site_of(url)
  if not origin then return ("%s is no address that safety.sites could judge"):format(text.cut(url, 100)) end
  return refusal(config, "sites", text.cut(origin, 100), function(patterns)
    for _, pattern in ipairs(patterns) do
      if fits_site(pattern, origin) then return pattern end
    end
  end)
end

-- --- lists that are added up ----------------------------------------------------------------------------------

--- All that the places say, together. The default is among it unless somebody else than the project's deskpilot.lua has
--- said something.
---@param config deskpilot.config
---@param name string dotted
---@return string[]
function lists.together(config, name)
  local all, decided = {}, false
  local function add(list) table.move(list, 1, #list, #all + 1, all) end
  for _, said in ipairs(config:said(name)) do
    decided = decided or said.source ~= PROJECT
    add(said.value)
  end
  if not decided then add(config.keys:find(name).default or {}) end
  return all
end

--- The same of a list that gives something (safety.files): what the project's deskpilot.lua says only limits it.
---@param config deskpilot.config
---@param name string dotted
---@return string[] given
---@return string[]? limit
function lists.given(config, name)
  local all, limit = {}, nil
  for _, said in ipairs(config:said(name)) do
    if said.source == PROJECT then limit = said.value
    else table.move(said.value, 1, #said.value, #all + 1, all) end
  end
  return all, limit
end

--- Every list that is in force, in words, each with where it is from.
---@param config deskpilot.config
---@return string[]
function lists.in_force(config)
  local words = {}
  for _, kind in ipairs { "apps", "sites", "tools" } do
    for _, what in ipairs { "allow", "deny" } do
      local key = ("safety.%s.%s"):format(kind, what)
      for _, said in ipairs(config:said(key)) do
        words[#words + 1] = ("%s = { %s } (%s)"):format(key, table.concat(said.value, ", "), said.source)
      end
    end
  end
  return words
end

--- An error for what a list does not allow.
---@param why string
---@return deskpilot.error
function lists.error(why)
  return errors.new("forbidden", "refused: %s", why)
end

return lists
