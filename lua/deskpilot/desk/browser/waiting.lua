--- tab:wait_for: waits for an address, a text, an element, or a quiet network. The browser's events report addresses
--- and requests; a script in an isolated world reports changes of the page, and ends with the wait.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local options_module = require "deskpilot.base.option_table"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local waiting = { methods = {} }
---@class deskpilot.tab
local Tab = waiting.methods

-- Seconds after which a waiting script returns and is started again.
local MAX_SCRIPT = 5

-- The beginning of every script. `once(seen, ms)` is a promise of true as soon as seen() is true, or of false after
-- `ms` milliseconds.
local prelude = [[
(() => {
  const once = (seen, ms) => new Promise(resolve => {
    if (seen()) return resolve(true);
    let due = false;
    const end = value => { observer.disconnect(); clearInterval(poll); clearTimeout(limit); resolve(value); };
    const look = () => { if (seen()) end(true); };
    const soon = () => { if (!due) { due = true; setTimeout(() => { due = false; look(); }, 30); } };
    const observer = new MutationObserver(soon);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const poll = setInterval(look, 300);
    const limit = setTimeout(() => end(false), ms);
  });
  const tidy = words => words.replace(/\s+/g, ' ').toLowerCase();
  const shows = (root, wanted, depth) => {
    const whole = root.body ? [root.body] : root.children;
    for (const element of whole) if (tidy(element.innerText || '').includes(wanted)) return true;
    if (depth > 5) return false;
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot && shows(element.shadowRoot, wanted, depth + 1)) return true;
      if (element.localName !== 'iframe' && element.localName !== 'frame') continue;
      let inner = null;
      try { inner = element.contentDocument; } catch (error) {}
      if (inner && shows(inner, wanted, depth + 1)) return true;
    }
    return false;
  };
]]

local function script(body)
  return prelude .. body .. "\n})()"
end

-- --- conditions: holds() checks without waiting, wait() waits until the result may have changed ------------

local conditions = {}

conditions.url = {
  holds = function(self, part) return self.url:find(part, 1, true) ~= nil end,
  wait = function(self, part, limit)
    self.changed:wait_until(limit - task.now(), function()
      return self.url:find(part, 1, true) or self.closed or self.session.closed or self.session.blocked
    end)
    return true
  end,
  missing = function(self) return "the address is " .. text.cut(self.url, 200) end,
}

local function quiet_in(self)
  if self.loading or self.request_count > 0 then return nil end
  return self.browser.desk.timing.page_quiet - (task.now() - self.last_request)
end

conditions.idle = {
  holds = function(self) return (quiet_in(self) or 1) <= 0 end,
  wait = function(self, _, limit)
    self.changed:wait(math.min(limit - task.now(), math.max(quiet_in(self) or MAX_SCRIPT, 0.001)))
    return true
  end,
  missing = function(self)
    return ("the page %s and %d of its requests are pending"):format(self.loading and "is loading" or "has loaded",
      self.request_count)
  end,
}

local function text_script(wanted, ms)
  return script(("return once(() => shows(document, tidy(%s), 0), %d);"):format(json.encode(wanted), ms))
end

conditions.text = {
  holds = function(self, wanted) return self:evaluate(text_script(wanted, 0), { world = "own" }) end,
  wait = function(self, wanted, limit)
    local seconds = math.max(math.min(MAX_SCRIPT, limit - task.now()), 0.05)
    return self:evaluate(text_script(wanted, math.ceil(seconds * 1000)), { world = "own", timeout = seconds + 2 })
  end,
  missing = function(_, wanted) return ("the page does not show '%s'"):format(text.cut(wanted, 100)) end,
}

local function named(node, wanted)
  local name = type(node) == "table" and not node.ignored and type(node.name) == "table" and node.name.value
  return type(name) == "string" and (not wanted or text.one_line(name):lower():find(wanted:lower(), 1, true)) ~= nil
end

-- Looks in the browser's accessibility tree, which has the computed roles and names.
local function find_element(self, wanted)
  local root, err = self:call("Runtime.evaluate", { expression = "document", objectGroup = "deskpilot" })
  if not root then return nil, err end
  local object = type(root.result) == "table" and root.result.objectId
  local found, failure = self:call("Accessibility.queryAXTree", { objectId = object, role = wanted.role })
  self:call("Runtime.releaseObjectGroup", { objectGroup = "deskpilot" })
  if not found then return nil, failure end
  for _, node in ipairs(type(found.nodes) == "table" and found.nodes or {}) do
    if named(node, wanted.name) then return true end
  end
  return false
end

conditions.element = {
  holds = find_element,
  wait = function(self, _, limit)
    local seconds = math.max(math.min(0.5, limit - task.now()), 0.05)
    local asked = ("let first = true; return once(() => first ? (first = false) : true, %d);"):format(
      math.ceil(seconds * 1000))
    return self:evaluate(script(asked), { world = "own", timeout = seconds + 2 })
  end,
  missing = function(_, wanted)
    return ("the page has no %s%s"):format(wanted.role or "element", wanted.name and " named '"
      .. text.cut(wanted.name, 100) .. "'" or "")
  end,
}

local order = { "url", "idle", "text", "element" }
local known = { url = "string", text = "string", element = "table", idle = "boolean", timeout = "number" }

-- --- the wait ---------------------------------------------------------------------------------------------

-- Whether an error ends the wait: a dialog has to be answered, the tab has closed or crashed, or the call can never
-- work. An error because the document was replaced does not.
local function is_final(self, err)
  if self.closed or self.crashed or self.open_dialog then return true end
  return errors.is(err, "unavailable") or errors.is(err, "unsupported") or errors.is(err, "invalid")
end

-- The first condition that does not hold; nil where all do.
local function first_missing(self, wanted)
  for _, name in ipairs(order) do
    if wanted[name] then
      local holds, err = conditions[name].holds(self, wanted[name])
      if err and is_final(self, err) then return nil, err end
      if not holds then return name end
    end
  end
end

--- Waits until all the given conditions hold at the same time.
---@param wanted { url: string?, text: string?, element: { role: string?, name: string? }?, idle: boolean?,
---  timeout: number? } url: a part of the address; text: a part of the page's visible text, whatever the case; element:
---  its role (in the browser's accessibility tree) and a part of its name; idle: no pending request for
---  timing.page_quiet; timeout: seconds (default timing.wait)
---@return boolean? ok, deskpilot.error? err code "timed_out": what was missing; "refused": a dialog is open
function Tab:wait_for(wanted)
  wanted = options_module.check(wanted, known, "tab:wait_for")
  local limit = task.now() + (wanted.timeout or self.browser.desk.timing.wait)
  while true do
    local info, err = self:info()
    if not info then return nil, err end
    if self.session.blocked then return nil, self.session.blocked.err end
    local missing, failure = first_missing(self, wanted)
    if failure then return nil, failure end
    if not missing then return true end
    if task.now() >= limit then
      return errors.fail("timed_out", "%s (after %g s)", conditions[missing].missing(self, wanted[missing]),
        wanted.timeout or self.browser.desk.timing.wait)
    end
    local began = task.now()
    local changed, trouble = conditions[missing].wait(self, wanted[missing], limit)
    if trouble and is_final(self, trouble) then return nil, trouble end
    if changed == nil and task.now() - began < 0.02 then task.sleep(0.02) end -- the document is being replaced
  end
end

return waiting
