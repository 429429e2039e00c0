--- The pages of docs/api: the desktop library as scripts use it, made of what is written above its functions. A desk
--- that is only imagined is opened and looked through, so that whatever it offers has its place here, wherever it is
--- defined.
local annotations = require "deskpilot.cli.annotations"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"
local tool_reference = require "deskpilot.cli.tool_reference"
local types = require "deskpilot.cli.types"

local reference = {}

--- What is no part of the library, though it is in the desk.
---@type table<string, true>
reference.internal = { native = true, event_pump = true, pending_work = true, elements_ahead = true, session = true,
  timing = true, closers = true, _ = true }

-- Pages in the order of the index. The parts of a desk that are not named here follow, by name.
local order = { "desk", "screen", "shot", "mouse", "keyboard", "input", "windows", "elements", "clipboard", "apps",
  "browser", "tab", "activity", "hotkeys", "points", "files", "csv", "json", "http", "http_server", "http_form",
  "websocket", "task", "errors", "mission", "checks" }

-- What the index says of them; the parts of a desk are told of by their fields in its class.
local summaries = {
  desk = "the desktop: opening it, waiting for it", shot = "one picture", points = "where things are",
  tab = "a tab of a browser, and its page", files = "files and folders", csv = "tables as text", json = "JSON",
  http = "requests to servers", http_server = "a server for pages of one's own", http_form = "what a page's form sends",
  websocket = "messages to and from a server", task = "doing several things at a time", errors = "failures as values",
  mission = "`m`, what a mission's functions are given", checks = "`m.checks`, ready-made checks of the world",
}

-- The class (the table of methods) of a thing; or, where none can be had, the one that the function which
-- makes such things knows by that name.
local function class_of(thing, name)
  if not name then return getmetatable(thing).__index end
  local fn = thing
  for i = 1, 60 do
    local found, value = debug.getupvalue(fn, i)
    if not found then return {} end
    if found == name then return value end
  end
  return {}
end

local function functions_of(t, prefix, into)
  for name, fn in pairs(t) do
    if type(fn) == "function" and not reference.internal[name] and not name:find("^_") then
      fn = signature.origin(fn)
      local info = debug.getinfo(fn, "S")
      if info.what ~= "C" then
        into[#into + 1] = { name = prefix .. name, fn = fn, path = info.source:sub(2), line = info.linedefined }
      end
    end
  end
  return into
end

-- In the order of the source, the file that has the most of the page first.
local function sort(functions, main)
  table.sort(functions, function(a, b)
    if a.path ~= b.path then
      if a.path == main or b.path == main then return a.path == main end
      return a.path < b.path
    end
    return a.line < b.line
  end)
  return functions
end

-- A module that scripts require: "base.csv".
local function module_page(path)
  return { functions = functions_of(require("deskpilot." .. path), text.after_last(path, "^%w_") .. ".", {}),
    main = ("deskpilot/%s.lua"):format(path:gsub("%.", "/")) }
end

-- The file of a desk's part, whose words its page begins with: of those that hold its functions the one with its name.
local function main_of(functions, name)
  for _, fn in ipairs(functions) do
    if fn.path:find("/" .. name .. ".lua", 1, true) or fn.path:find("/" .. name .. "/init.lua", 1, true) then
      return fn.path
    end
  end
  return "" -- of the page of another part
end

-- The functions of each page, and the file that its words begin with.
local function collect(desk)
  local module, websocket = require "deskpilot.desk", require "deskpilot.net.websocket"
  local task, errors, run = require "deskpilot.base.task", require "deskpilot.base.errors",
    require "deskpilot.agent.run"
  local server = require "deskpilot.net.http_server"
  local browser, tab = require "deskpilot.desk.browser.instance", require "deskpilot.desk.browser.tab"
  local shot = assert(desk.screen.shot())
  local pages = {
    desk = { functions = functions_of(class_of(desk), "desk:", functions_of(desk, "desk.",
      functions_of(module, 'require "deskpilot.desk".', {}))), main = "deskpilot/desk/init.lua" },
    shot = { functions = functions_of(class_of(shot), "shot:", {}), main = "deskpilot/desk/picture/shot.lua" },
    points = { functions = {}, main = "deskpilot/desk/picture/points.lua" },
    task = { functions = functions_of(class_of(task.start(function() end)), "work:", functions_of(task, "task.", {})),
      main = "deskpilot/base/task.lua" },
    files = module_page "base.files", csv = module_page "base.csv", json = module_page "base.json",
    http = module_page "net.http", http_form = module_page "net.http_form",
    http_server = { functions = functions_of(class_of(server.start, "Server"), "server:",
      functions_of(server, "http_server.", {})), main = "deskpilot/net/http_server.lua" },
    websocket = { functions = functions_of(class_of(websocket.open, "Socket"), "socket:",
      functions_of(websocket, "websocket.", {})), main = "deskpilot/net/websocket.lua" },
    errors = { functions = functions_of(errors, "errors.", {}), main = "deskpilot/base/errors.lua" },
    browser = { functions = functions_of(class_of(browser.connect, "Browser"), "browser:",
      functions_of(desk.browser, "desk.browser.", {})), main = "deskpilot/desk/browser/init.lua" },
    tab = { functions = functions_of(class_of(tab.new, "Tab"), "tab:", {}), main = "deskpilot/desk/browser/tab.lua" },
    mission = { functions = functions_of(class_of(run.new, "Run"), "m:", {}), main = "deskpilot/agent/run.lua",
      also = { "deskpilot/agent/mission.lua", "deskpilot/agent/listeners.lua", "deskpilot/agent/decisions.lua",
        "deskpilot/agent/action_target.lua", "deskpilot/agent/hit_test.lua", "deskpilot/agent/toolbox.lua",
        "deskpilot/agent/loop.lua", "deskpilot/agent/plugins.lua", "deskpilot/agent/script.lua",
        "deskpilot/agent/goal_options.lua", "deskpilot/agent/goal_limits.lua", "deskpilot/agent/goals.lua",
        "deskpilot/agent/desk_proxy.lua", "deskpilot/agent/desk_journal.lua" } },
    checks = { functions = functions_of(require "deskpilot.agent.checks".new { desk = desk }, "m.checks.", {}),
      main = "deskpilot/agent/checks.lua", also = { "deskpilot/agent/verdict.lua" } },
  }
  for name, part in pairs(desk) do
    if type(part) == "table" and not reference.internal[name] and not pages[name] then
      local functions = functions_of(part, "desk." .. name .. ".", {})
      if #functions > 0 then pages[name] = { functions = functions, main = main_of(functions, name) } end
    end
  end
  for _, page in pairs(pages) do sort(page.functions, page.main) end
  return pages
end

local function with_desk(fn)
  local desk = assert(require("deskpilot.desk").open { backend = "null", width = 640, height = 480 })
  local closing <close> = setmetatable({}, { __close = function() desk:close() end })
  assert(closing)
  return fn(collect(desk))
end

local function paragraph(words)
  return (words:gsub("\n", " "):gsub("  +", " "))
end

-- Paragraphs are kept, the lines inside them are not.
local function prose(words)
  local parts = {}
  for part in (words .. "\n\n"):gmatch("(.-)\n%s*\n+") do -- pattern: of the program's own sources
    if part:find("%S") then parts[#parts + 1] = paragraph(part) end
  end
  return table.concat(parts, "\n\n")
end

-- A file's first words, without "desk.screen: ", which is the page's title.
local function opening(path)
  local words = prose(annotations.header(path)):gsub("^[%w_.]+: ", "")
  return (words:gsub("^%l", string.upper))
end

local function item(name, kind, words)
  local line = "- " .. (name and "`" .. name .. "`" or "")
  if kind ~= "" then line = line .. (name and " " or "") .. "(`" .. kind .. "`)" end
  return words ~= "" and line .. ": " .. paragraph(words) or line
end

local function returns_line(returns)
  local parts = {}
  for i, result in ipairs(returns) do
    local words = result.text ~= "" and ": " .. paragraph(result.text) or ""
    parts[i] = ("`%s`%s%s"):format(result.type, result.name and " " .. result.name or "", words)
  end
  return "Returns " .. table.concat(parts, ", ") .. "."
end

local function function_text(entry)
  local doc = annotations.of_function(entry.fn)
  local out = { ("### %s(%s)"):format(entry.name, table.concat(annotations.parameters(entry.fn), ", ")) }
  if doc.text ~= "" then out[#out + 1] = prose(doc.text) end
  local params = {}
  for i, param in ipairs(doc.params) do params[i] = item(param.name, param.type, param.text) end
  if #params > 0 then out[#out + 1] = table.concat(params, "\n") end
  if #doc.returns > 0 then out[#out + 1] = returns_line(doc.returns) end
  return table.concat(out, "\n\n")
end

-- A class's methods, where the page has not told of them among its functions.
local function add_methods(fields, class, told)
  local members = types.class(class.class).members
  for _, name in ipairs(text.keys(members)) do
    local member = members[name]
    if member.kind == "method" and not told[member.path .. ":" .. member.line] and not name:find("^_") then
      fields[#fields + 1] = ("- `:%s(%s)`: %s"):format(name, table.concat(member.params, ", "), paragraph(member.text))
    end
  end
end

local function class_text(class, told)
  local lines = { "### " .. (class.class or class.alias) }
  if class.text ~= "" then lines[#lines + 1] = prose(class.text) end
  if class.alias then
    lines[#lines + 1] = ("It is `%s`."):format(class.type)
    return table.concat(lines, "\n\n")
  end
  local fields = {}
  for i, field in ipairs(class.fields) do fields[i] = item(field.name, field.type, field.text) end
  add_methods(fields, class, told)
  if class.parents[1] then
    lines[#lines + 1] = ("It has the fields of `%s`%s"):format(table.concat(class.parents, "` and `"),
      #fields > 0 and ", and:" or ".")
  end
  if #fields > 0 then lines[#lines + 1] = table.concat(fields, "\n") end
  return table.concat(lines, "\n\n")
end

-- The files of a page, its main one first; `also` are those that have types alone to tell.
local function paths_of(page)
  local paths, seen = {}, {}
  local function add(path)
    if path and not seen[path] then paths[#paths + 1], seen[path] = path, true end
  end
  add(page.main)
  for _, entry in ipairs(page.functions) do add(entry.path) end
  for _, path in ipairs(page.also or {}) do add(path) end
  return paths
end

local titles = { desk = "desk", shot = "A shot", tab = "A tab", points = "Points", mission = "m, the mission's run",
  checks = "m.checks" }
for _, path in ipairs { "base.files", "base.csv", "base.json", "base.task", "base.errors", "net.http",
  "net.http_server", "net.http_form", "net.websocket" } do
  local name = text.after_last(path, "^%w_")
  titles[name] = ('%s: require "deskpilot.%s"'):format(name, path)
end

local notice = "<!-- Made by `./dev docs` from the comments above the functions: change those. -->"

local function page_text(name, page)
  local paths = paths_of(page)
  local out = { "# " .. (titles[name] or "desk." .. name), notice }
  local words = page.main and opening(page.main) or ""
  if words ~= "" then out[#out + 1] = words end
  if #page.functions > 0 then out[#out + 1] = "## Functions" end
  for _, entry in ipairs(page.functions) do out[#out + 1] = function_text(entry) end
  local told, list = {}, {}
  for _, entry in ipairs(page.functions) do told[entry.path .. ":" .. entry.line] = true end
  for _, path in ipairs(paths) do
    for _, class in ipairs(annotations.classes(path)) do
      if class.alias or #class.fields > 0 or class.parents[1] then list[#list + 1] = class_text(class, told) end
    end
  end
  if #list > 0 then out[#out + 1] = "## Types\n\n" .. table.concat(list, "\n\n") end
  return table.concat(out, "\n\n") .. "\n"
end

local function names_of(pages)
  local names, named = {}, {}
  for _, name in ipairs(order) do
    if pages[name] then names[#names + 1], named[name] = name, true end
  end
  for _, name in ipairs(text.keys(pages)) do
    if not named[name] then names[#names + 1] = name end
  end
  return names
end

local introduction = [[
What scripts have of the desktop: in a mission (`m.desk`), at the prompt and in `deskpilot eval` (`desk`), in
policies and tools. Times are seconds, places are pixels of the screen, options are tables. A caller's mistake
raises a Lua error; a failure of the world is `nil, err` (and raised in a mission's
[run](../missions.md#scripts)), where `tostring(err)` is a sentence and `err.code` one of a
[closed list](../errors.md). The same words are at the prompt: `help(desk.mouse.click)`.]]

local function index_text(names)
  local out = { "# The desktop library", notice, introduction, "" }
  local lines = {}
  for _, name in ipairs(names) do
    local part = types.members("deskpilot.desk")[name]
    lines[#lines + 1] = ("- [%s](%s.md): %s"):format(name, name, summaries[name] or part and part.text or "")
  end
  lines[#lines + 1] = "- [tools](tools.md): what models may call"
  out[4] = table.concat(lines, "\n")
  return table.concat(out, "\n\n") .. "\n"
end

--- The pages, by their files' names.
---@return table<string, string>
function reference.pages()
  return with_desk(function(pages)
    local names, texts = names_of(pages), {}
    for _, name in ipairs(names) do texts[name .. ".md"] = page_text(name, pages[name]) end
    texts["README.md"] = index_text(names)
    texts["tools.md"] = tool_reference.text()
    return texts
  end)
end

--- What is not written: public functions without words, parameters without a @param, and what has no class by which
--- an editor could find it.
---@return string[] sentences
function reference.gaps()
  return with_desk(function(pages)
    local gaps = {}
    for _, name in ipairs(names_of(pages)) do
      for _, entry in ipairs(pages[name].functions) do
        local doc, told = annotations.of_function(entry.fn), {}
        local where = ("%s (%s:%d) "):format(entry.name, entry.path, entry.line)
        if entry.name:find("^desk%.") or entry.name:find(":", 1, true) then
          if not types.of_function(entry.fn) then gaps[#gaps + 1] = where .. "belongs to no class" end
        end
        if doc.text == "" then gaps[#gaps + 1] = where .. "has no words" end
        for _, param in ipairs(doc.params) do told[param.name:gsub("%?$", "")] = true end
        for _, param in ipairs(annotations.parameters(entry.fn)) do
          if not told[param] then gaps[#gaps + 1] = where .. "has no @param " .. param end
        end
      end
    end
    return gaps
  end)
end

return reference
