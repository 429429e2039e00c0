--- A private desktop for a test: started for a function, and taken down after it, whatever becomes of it.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"

local desktop = {}

---@class test_desktop
---@field size integer[]? 1280 x 800
---@field apps string[][]|fun(folder: string): string[][]|nil started on it
---@field env table<string, string>? for all of them
---@field timing table<string, number>? of the desk

--- Runs fn(desk, session, folder): the folder is empty, and gone afterwards.
---@param options test_desktop
---@param fn fun(desk: deskpilot.desk, session: deskpilot.private_session, folder: string)
function desktop.with(options, fn)
  local folder = spawn.folder()
  local apps = options.apps
  if type(apps) == "function" then apps = apps(folder) end
  local session = assert(private.start { size = options.size or { 1280, 800 }, apps = apps, env = options.env })
  local guard <close> = setmetatable({}, { __close = function()
    session:abandon() -- nothing to do where it was stopped
    files.remove(folder)
  end })
  assert(guard)
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session,
    timing = options.timing })
  fn(desk, session, folder)
  desk:close()
  session:stop()
end

--- The environment of a program that is started beside it, on the same desktop.
---@param session deskpilot.private_session
---@return table<string, string>
function desktop.env(session)
  return { DISPLAY = session.display, XAUTHORITY = session.folder .. "/xauthority",
    DBUS_SESSION_BUS_ADDRESS = session.bus_address }
end

return desktop
