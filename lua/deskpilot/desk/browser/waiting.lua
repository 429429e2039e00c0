--- tab:wait_for: until a page's address, its text, an element or the quiet of its network is as wanted. The browser
--- tells of addresses and requests; of changes of the page a script in our own world does, which ends with the wait.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local options_module = require "deskpilot.base.option_table"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local waiting = { methods = {} }
---@class deskpilot.tab
local Tab = waiting.methods

-- Seconds that one script waits at most, before it is asked again.
local SPELL = 5

-- What a script of ours begins with. `once(seen)` promises true as soon as seen() is, or false after `ms`.
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

-- --- conditions: each looks at once, and waits until it may have changed -----------------------------------

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
    self.changed:wait(math.min(limit - task.now(), math.max(quiet_in(self) or SPELL, 0.001)))
    return true
  end,
  missing = function(self)
    return ("the page %s and %d of its requests are under way"):format(self.loading and "is loading" or "has loaded",
      self.request_count)
  end,
}

local function text_script(wanted, ms)
  return script(("return once(() => shows(document, tidy(%s), 0), %d);"):format(json.encode(wanted), ms))
end

conditions.text = {
  holds = function(self, wanted) return self:evaluate(text_script(wanted, 0), { world = "own" }) end,
  wait = function(self, wanted, limit)
    local spell = math.max(math.min(SPELL, limit - task.now()), 0.05)
    return self:evaluate(text_script(wanted, math.ceil(spell * 1000)), { world = "own", timeout = spell + 2 })
  end,
  missing = function(_, wanted) return ("the page does not show '%s'"):format(text.cut(wanted, 100)) end,
}

local function named(node, wanted)
  local name = type(node) == "table" and not node.ignored and type(node.name) == "table" and node.name.value
  return type(name) == "string" and (not wanted or text.one_line(name):lower():find(wanted:lower(), 1, true)) ~= nil
end

-- By the browser's own accessibility tree: which roles and names there are is not ours to work out.
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
    local spell = math.max(math.min(0.5, limit - task.now()), 0.05)
    local asked = ("let first = true; return once(() => first ? (first = false) : true, %d);"):format(
      math.ceil(spell * 1000))
    return self:evaluate(script(asked), { world = "own", timeout = spell + 2 })
  end,
  missing = function(_, wanted)
    return ("the page has no %s%s"):format(wanted.role or "element", wanted.name and " named '"
      .. text.cut(wanted.name, 100) .. "'" or "")
  end,
}

local order = { "url", "idle", "text", "element" }
local known = { url = "string", text = "string", element = "table", idle = "boolean", timeout = "number" }

-- --- the wait ---------------------------------------------------------------------------------------------

-- What ends the wait: a dialog that somebody has to answer, the end of the tab. That the document changed under
-- our script does not.
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

--- Waits until the page is as wanted; where several things are, until all of them hold at the same time.
---@param wanted { url: string?, text: string?, element: { role: string?, name: string? }?, idle: boolean?,
---  timeout: number? } url: a part of the address; text: a part of what the page shows, whatever the case; element:
---  by its role (as the browser's accessibility has it) and a part of its name; idle: no request under way for
---  timing.page_quiet; timeout: seconds (timing.wait)
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
    if changed == nil and task.now() - began < 0.02 then task.sleep(0.02) end -- a document that is being replaced
  end
end

return waiting
