--- The server of the browser suite's pages (tests/bench/pages): it gives out one visit after the other, answers what
--- pages fetch, and keeps the records that they send when they are left.
local files = require "deskpilot.base.files"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local FOLDER = "tests/bench/pages"
local types = { js = "text/javascript; charset=utf-8", css = "text/css; charset=utf-8",
  html = "text/html; charset=utf-8" }

local site = {}

---@class bench.page
---@field name string
---@field timer boolean whether it changes by a timer, an animation or a slow server
---@field steps table[] each { "tap", role, name, { clicks =, button = }? }, { "type", role, name, text,
---  { replace = }? }, { "key", key }, { "drag", place, place } or { "scroll", place }

--- A record that a page has sent: bench.js.
---@class bench.record
---@field page string
---@field visit integer
---@field changes any[][] { what, when it was begun, made, drawn } in milliseconds since 1970
---@field acts any[][] { kind of event, when }
---@field early any[][] { kind of event, the change that was under way, milliseconds since it began }
---@field missed any[][] presses that hit nothing
---@field wrong string what its verdict is; "" where all is well

---@class bench.site
---@field url string
---@field pages bench.page[]
---@field visits bench.page[] the pages by the numbers of their visits
---@field records bench.record[]
---@field last boolean? set it, and no further visit begins
local Site = {}
Site.__index = Site

-- The pages by their names, with what is to be done on each.
local function read_pages()
  local pages = {}
  local names = assert(files.list(FOLDER))
  table.sort(names)
  for _, name in ipairs(names) do
    local page = name:match "^(.*)%.html$"
    if page then
      local steps = assert(files.read(files.join(FOLDER, name))):match 'id="steps">(.-)</script>'
      local told = assert(json.decode(steps), name)
      pages[#pages + 1] = { name = page, timer = told.timer == true, steps = told.steps }
    end
  end
  return pages
end

local function file(name)
  local bytes = not name:find("..", 1, true) and files.read(files.join(FOLDER, name))
  if not bytes then return nil end
  return { headers = { ["Content-Type"] = types[text.after_last(name, ".")], ["Cache-Control"] = "no-store" },
    body = bytes }
end

local function next_visit(self)
  if self.last then return { status = 302, headers = { Location = "/end" } } end
  local number = #self.visits + 1
  local page = self.pages[(number - 1) % #self.pages + 1]
  self.visits[number] = page
  return { status = 302, headers = { Location = ("/%s.html?visit=%d&part=1"):format(page.name, number) } }
end

local function respond(self, request)
  local milliseconds = request.query:match "after=(%d+)"
  if milliseconds then task.sleep(tonumber(milliseconds) / 1000) end
  if request.path == "/next" then return next_visit(self) end
  if request.path == "/answer" then
    return { headers = { ["Content-Type"] = "application/json" }, body = "{}" }
  elseif request.path == "/record" then
    table.insert(self.records, assert(json.decode(request.body)))
    return { status = 204 }
  elseif request.path == "/end" then
    return { headers = { ["Content-Type"] = types.html }, body = "<!doctype html><title>The end</title><p>The end." }
  end
  return file(request.path:sub(2))
end

--- Starts it.
---@param names string[]? of the pages; all of them
---@return bench.site
function site.start(names)
  local self = setmetatable({ pages = read_pages(), visits = {}, records = {} }, Site)
  if names then
    local by_name, chosen = {}, {}
    for _, page in ipairs(self.pages) do by_name[page.name] = page end
    for i, name in ipairs(names) do chosen[i] = assert(by_name[name], "there is no page " .. name) end
    self.pages = chosen
  end
  self.server = assert(http_server.start(function(request) return respond(self, request) end))
  self.url = self.server.url
  return self
end

--- Stops it; fails where a request could not be answered.
function Site:stop()
  self.server:stop()
  assert(#self.server.failures == 0, self.server.failures[1])
end

return site
