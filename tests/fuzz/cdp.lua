--- What a browser sends: each line of an input is a message to a connection on which a tab is attached and calls wait
--- for their answers. A malformed one ends the connection; whatever comes, every call ends with a result or an error,
--- and the tab's fields keep their types.
local cdp = require "deskpilot.desk.browser.cdp"
local downloads = require "deskpilot.desk.browser.downloads"
local errors = require "deskpilot.base.errors"
local signal = require "deskpilot.base.signal"
local tab_module = require "deskpilot.desk.browser.tab"
local task = require "deskpilot.base.task"
local uv = require "luv"
local values = require "fuzz_values"

-- What carries the messages is the input.
local function connect()
  local listener
  local transport = { send = function() return true end, close = function() end }
  local connection = assert(cdp.connect(function(told)
    listener = told
    return transport
  end))
  return connection, listener
end

local desk = assert(require "deskpilot.desk".open { backend = "null", width = 100, height = 100 })

local function browser_of(connection)
  local browser = { desk = desk, changed = signal.new(), order = {}, by_id = {}, downloads = {}, port = 1 }
  function browser.connected()
    if connection.closed then return nil, connection.closed end
    return connection
  end
  function browser.call(_, method, params, timeout)
    if connection.closed then return nil, connection.closed end
    return connection:call(method, params, { timeout = timeout })
  end
  return browser
end

local waiting = { timeout = 60 }
local asked = {
  function(tab) return tab:evaluate("1", waiting) end, function(tab) return tab:info() end,
  function(tab) return tab:evaluate("2", { timeout = 60, world = "own" }) end,
  function(tab) return tab:navigate("http://a/", waiting) end, function(tab) return tab:observe() end,
  function(tab) return tab:back(waiting) end,
}

local function check_task(work)
  assert(work:ended(), "a call that nothing ends")
  local result = work.result
  if not result[1] and not errors.is(result[2]) then error(result[2], 0) end
  if result[1] and result[2] == nil and result[3] ~= nil then
    assert(errors.is(result[3]), "an error that is none")
    values.sentence(tostring(result[3]), 5000)
  end
end

local function check_tab(tab)
  assert(type(tab.url) == "string" and type(tab.frame) == "string" and type(tab.loading) == "boolean", "a tab's fields")
  assert(tab.request_count >= 0 and tab.request_count <= 5000 and tab.frame_count <= 1000, "counts")
  values.sentence(tostring(tab), 1000)
  if tab.open_dialog then values.sentence(tab.open_dialog.type .. ":" .. tab.open_dialog.message, 5000) end
end

return function(bytes)
  local connection, listener = connect()
  local browser, tasks = browser_of(connection), {}
  local tab = tab_module.new(browser)
  tab.id = "T"
  downloads.listen(browser, connection)
  tab_module.attached(tab, connection:adopt "S", { url = "about:blank" })
  for id = 1, 4 do listener.on_message(('{"id":%d,"result":{}}'):format(id)) end -- its events are enabled
  for i, ask in ipairs(asked) do tasks[i] = task.start(ask, tab) end
  for line in bytes:gmatch "[^\n]+" do
    listener.on_message(line)
    check_tab(tab)
  end
  for _, download in ipairs(browser.downloads) do
    assert(type(download.name) == "string", "a download without a name")
  end
  connection:close()
  uv.run "nowait" -- what the end has put off
  for _, work in ipairs(tasks) do
    work:cancel "the input is over"
    check_task(work)
  end
  uv.run "nowait"
end
