--- The server of a live page, on 127.0.0.1: the page, what is new of it as server-sent events, the run's pictures and
--- requests, and orders to the run's control.
---
--- Who may ask: only who knows the token, which is a part of every address, so that no cookie is needed; only by this
--- server's own name (Host, net/http_message.lua); and what changes something only from its own page (Origin), as JSON,
--- which no other site's form can send. No other page may frame it.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local page = require "deskpilot.cli.report.page"
local rundir = require "deskpilot.agent.rundir"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local uv = require "luv"

local server = {}

--- Seconds.
server.timing = {
  gather = 0.15, -- from one message to the next, so that what happens together is told together
  alive = 10,    -- between two signs of life
  last = 2,      -- that pages have at the end to be told of it
}

local largest = { body = 64 * 1024, picture = 32 * 2 ^ 20, request = 64 * 2 ^ 20 } -- bytes
local who = "the live page"

---@class deskpilot.live_server
---@field board deskpilot.live_board
---@field control deskpilot.control? nil: the page can only be looked at
---@field hands deskpilot.live_hands? what a person may do on the desktop by the page
---@field folder string the run's
---@field token string
---@field http deskpilot.http_server
---@field pages integer how many pages are open
---@field over boolean? nothing new comes any more
local Server = {}
Server.__index = Server

local safe = { ["X-Frame-Options"] = "DENY", ["Content-Security-Policy"] = "frame-ancestors 'none'",
  ["Referrer-Policy"] = "no-referrer", ["Cross-Origin-Resource-Policy"] = "same-origin" }

local function say(status, body, kind)
  local headers = { ["Content-Type"] = kind or "text/plain; charset=utf-8" }
  for name, value in pairs(safe) do headers[name] = value end
  return { status = status, headers = headers, body = body }
end

local function refuse(status, sentence) return say(status, sentence .. "\n") end

-- In a time that does not depend on where the two differ.
local function equal(a, b)
  if #a ~= #b then return false end
  local different = 0
  for i = 1, #a do different = different | (a:byte(i) ~ b:byte(i)) end
  return different == 0
end

-- --- the page -----------------------------------------------------------------------------------------------------

local controls = [[<div id="live" data-from="%d" data-run="%s"><b id="state"></b>
<button type="button" data-order="pause">pause</button><button type="button" data-order="step">one step</button>
<button type="button" data-order="go">go on</button><button type="button" data-order="take">take over</button>
<button type="button" data-order="stop">stop</button><label><input type="checkbox" id="follow" checked> follow</label>
<span id="words"></span><div id="ask" hidden></div><div id="view" hidden></div></div>
]]

local function whole_page(self)
  local body, number = self.board:body()
  local lead = controls:format(number, require "deskpilot.cli.html".escape(self.board.name))
  return say(200, page.document { title = self.board.name, body = lead .. body, pictures = "'self' blob:",
    connects = "'self'", script = "live.js" }, "text/html; charset=utf-8")
end

-- What the page shows of the control.
local function state_of(self)
  local control = self.control
  if self.over or not control then return { state = self.over and "over" or "watched" } end
  local asked = control.asked
  local question = asked and not asked.answer and { id = asked.id, text = asked.question.text,
    options = asked.question.options and json.list(asked.question.options), default = asked.question.default,
    consent = asked.question.consent, left = math.max(0, asked.at + asked.question.seconds - task.now()) // 1 } or nil
  return { state = control.state, waiting = control.waiting, stepping = control.stepping ~= nil, question = question,
    hands = self.hands ~= nil and control.state == "taken" and control.waiting }
end

local function message(kind, number, value)
  return ("id: %d\nevent: %s\ndata: %s\n\n"):format(number, kind, json.encode(value))
end

-- Everything that is new to a page that has come up to `from`, until it goes or all is over.
local function tell(self, from, write)
  local told
  while true do
    local state = json.encode(state_of(self))
    local over = self.over
    local list, head = self.board:since(from)
    from = self.board.number
    for _, turn in ipairs(list) do
      if not write(message("turn", from, turn)) then return end
    end
    if head and not write(message("head", from, { html = head })) then return end
    if state ~= told and not write(message("state", from, json.decode(state))) then return end
    told = state
    if over then return end
    if not self.news:wait(server.timing.alive) and not write ": still here\n\n" then return end
    task.sleep(server.timing.gather)
  end
end

local function stream(self, request)
  local from = math.tointeger(tonumber(request.headers["last-event-id"]
    or request.query:match "^from=(%d+)")) or 0
  local run = request.query:match "run=([%w_-]+)"
  local reply = say(200, nil, "text/event-stream")
  reply.stream = function(write)
    self.pages = self.pages + 1
    local leaving <close> = setmetatable({}, { __close = function() self.pages = self.pages - 1 end })
    assert(leaving)
    -- A page of the run before, or of a server that has begun again: nothing that it has counted holds.
    if run ~= self.board.name or from > self.board.number then return write(message("reload", 0, {})) end
    tell(self, from, write)
  end
  return reply
end

-- --- files --------------------------------------------------------------------------------------------------------

local function file(self, path)
  local request = path:find "^requests/[%w_-]+%.request%.json$"
  if not request and not rundir.is_picture(path) then return refuse(404, "There is nothing here.") end
  local bytes = files.read(files.join(self.folder, path), request and largest.request or largest.picture)
  if not bytes then return refuse(404, "The run has no such file.") end
  local kind = request and "application/json" or bytes:find "^\137PNG" and "image/png" or "image/jpeg"
  local reply = say(200, bytes, kind)
  if not request then reply.headers["Cache-Control"] = "private, max-age=3600" end -- a picture does not change
  return reply
end

-- --- orders -------------------------------------------------------------------------------------------------------

local function carry_out(self, said)
  if type(said) ~= "table" then return errors.fail("invalid", "an order is a JSON object") end
  if said.answer ~= nil then
    return self.control:answer(math.tointeger(said.id) or 0, said.answer, who)
  elseif said.act ~= nil then
    if not self.hands then return errors.fail("unavailable", "nothing can be done on this desktop from here") end
    return self.hands:act(said)
  end
  return self.control:order(said.order, who)
end

local status_of = { invalid = 400, stale = 409, unavailable = 409, refused = 409 }

local function order(self, request)
  local headers, port = request.headers, self.http.port
  local origin = headers.origin or ""
  if origin ~= "http://127.0.0.1:" .. port and origin:lower() ~= "http://localhost:" .. port then
    return refuse(403, "Orders are taken from this server's own page alone.")
  elseif not (headers["content-type"] or ""):lower():find "^application/json" then
    return refuse(415, "An order must be application/json.")
  elseif not self.control then
    return refuse(409, "This page only watches: the run is another process's. Start it with --live to control it.")
  end
  local ok, err = carry_out(self, json.decode(request.body))
  if ok then return say(204) end
  return refuse(errors.is(err) and status_of[err.code] or 400, tostring(err))
end

local function screen(self)
  if not (self.hands and self.control and self.control.state == "taken") then
    return refuse(409, "The screen is shown while a person has taken over.")
  end
  local bytes, err = self.hands:picture()
  if not bytes then return refuse(409, tostring(err)) end
  return say(200, bytes, "image/jpeg")
end

local function handle(self, request)
  local token, path = request.path:match "^/([^/]*)/?(.*)$"
  if not token or not equal(token, self.token) then
    return refuse(403, "This address is not the run's: the whole one, with its token, was printed when it began.")
  end
  if request.method == "POST" then
    return path == "order" and order(self, request) or refuse(404, "There is nothing here.")
  elseif request.method ~= "GET" then
    return refuse(405, "Only GET and POST are served here.")
  elseif path == "" then
    if not text.ends(request.path, "/") then
      return { status = 303, headers = { Location = "/" .. self.token .. "/" } }
    end
    return whole_page(self)
  elseif path == "events" then
    return stream(self, request)
  elseif path == "screen" then
    return screen(self)
  end
  return file(self, path)
end

-- --- beginning and end --------------------------------------------------------------------------------------------

--- Starts it. It ends with the task that has started it, or by stop().
---@param board deskpilot.live_board
---@param options { folder: string, control: deskpilot.control?, hands: deskpilot.live_hands?, token: string?,
---  port: integer? } token, port: those of the run before, so that its pages go on
---@return deskpilot.live_server? server, deskpilot.error? err
function server.start(board, options)
  local self = setmetatable({ board = board, folder = options.folder, control = options.control,
    hands = options.hands, token = options.token or text.hex(uv.random(24)), pages = 0, news = board.changed }, Server)
  if self.control then self.control.changed = board.changed end -- one signal for all that a page may want to know
  local function serve(port)
    return http_server.start(function(request) return handle(self, request) end, { port = port,
      max_body = largest.body, max_connections = 64 })
  end
  local http, err = serve(options.port)
  if not http and options.port then http, err = serve(nil) end -- somebody else has it now
  if not http then return nil, err end
  self.http, self.url = http, ("%s/%s/"):format(http.url, self.token)
  return self
end

--- Tells the pages that all is over, and closes it when they know.
function Server:stop()
  self.over = true
  self.news:notify()
  local until_ = task.now() + server.timing.last
  while self.pages > 0 and task.may_wait() and task.now() < until_ do task.sleep(0.05) end
  self.http:stop()
end

return server
