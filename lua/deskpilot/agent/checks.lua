--- Ready-made checks of the world, for a mission's verify and for policies: `m.checks.file { path = "a", contains =
--- "b" }`.
--- Each looks once, at once, and answers with a verdict (agent/verdict.lua) that says what was compared and what was
--- seen; what could not be looked at is unknown. A wrong field of one is an error.
local verdict = require "deskpilot.agent.verdict"

-- What few runs need is loaded by those that do.
local function check_desk() return require "deskpilot.agent.check_desk" end
local function check_files() return require "deskpilot.agent.check_files" end

local checks = {}

--- The checks of a run's desktop, and those that need none.
---@param run deskpilot.run
---@return deskpilot.checks
function checks.new(run)
  local desk = run.desk
  ---@class deskpilot.checks
  local self = {}

  --- A file's content: `equals` (every byte), `contains`, `matching` (a Lua pattern); without these, that it exists,
  --- or with `gone` that it does not.
  ---@param how { path: string, equals: string?, contains: string?, matching: string?, gone: boolean? }
  ---@return deskpilot.verdict
  function self.file(how) return check_files().file(how) end

  --- A row of a table in a file (CSV, whose first line names the columns): that one of the rows that are meant by
  --- `where` has the values of `has`, or with `gone` that there is no such row.
  ---@param how { path: string, where: table<string, any>?, has: table<string, any>?, separator: string?,
  ---  gone: boolean? }
  ---@return deskpilot.verdict
  function self.row(how) return check_files().row(how) end

  --- A process, by its id or by its program's name (of any user and desktop of this machine), that it runs, or with
  --- `gone` that it does not.
  ---@param how { pid: integer?, name: string?, gone: boolean? }
  ---@return deskpilot.verdict
  function self.process(how) return check_files().process(how) end

  --- An element, found as by desk.elements.find: that it is there, or with `gone` that it is not; that its text is
  --- `shows`, or its number `value`.
  ---@param how table criteria, and shows, value or gone
  ---@return deskpilot.verdict
  function self.element(how) return check_desk().element(desk, how) end

  --- A window, found as by desk.windows.find: that it is there, or with `gone` that it is not.
  ---@param how table criteria, and gone
  ---@return deskpilot.verdict
  function self.window(how) return check_desk().window(desk, how) end

  --- The page in the active window (or of `tab`): its address and title contain `url` and `title`, and its text
  --- `contains` something or is `matching` a Lua pattern.
  ---@param how { url: string?, title: string?, contains: string?, matching: string?, tab: deskpilot.tab? }
  ---@return deskpilot.verdict
  function self.page(how) return check_desk().page(desk, how) end

  --- A region of pixels, of the screen or of a window: that a `share` of it (all unless told) has a `color`
  --- ("#rrggbb"), or is as in the picture `equals` (a shot or the path of a file); `tolerance` is the largest
  --- difference of a channel (0..255) that counts as none.
  ---@param how { region: table?, window: any, monitor: any, color: string?, equals: deskpilot.shot|string|nil,
  ---  tolerance: integer?, share: number? }
  ---@return deskpilot.verdict
  function self.pixels(how) return check_desk().pixels(desk, how) end

  --- All of these: no if one says no, unknown if one is unknown and none says no.
  ---@param list deskpilot.verdict[]
  ---@return deskpilot.verdict
  function self.all(list) return verdict.all(list) end

  --- One of these at least: unknown if none says yes and one is unknown.
  ---@param list deskpilot.verdict[]
  ---@return deskpilot.verdict
  function self.any(list) return verdict.any(list) end

  --- Yes, no or unknown in a mission's own words.
  ---@param answer "yes"|"no"|"unknown"
  ---@param evidence string what was compared and seen
  ---@return deskpilot.verdict
  function self.verdict(answer, evidence)
    local make = ({ yes = verdict.yes, no = verdict.no, unknown = verdict.unknown })[answer]
    if not make then error(("a verdict is yes, no or unknown, not %s"):format(tostring(answer)), 2) end
    return make(evidence)
  end

  return self
end

return checks
