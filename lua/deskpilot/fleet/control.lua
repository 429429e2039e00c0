--- Orders to a worker that is there: it is asked by its name and says that it has heard.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"

local control = {}

local ORDER = { bytes = 10000, values = 100, depth = 4 }
local WAIT = 3 -- seconds for the worker's answer

local function subject_of(worker) return ("deskpilot.control.%s"):format(worker) end

--- Obeys orders from now on.
---@param connection deskpilot.nats
---@param worker string its name
---@param obey table<string, fun(order: table): table?> by the order's name; what it returns is the answer
---@return fun()? stop, deskpilot.error? err
function control.obey(connection, worker, obey)
  return connection:listen(subject_of(worker), function(message)
    local order = json.decode(message.data, ORDER)
    local act = type(order) == "table" and type(order.order) == "string" and obey[order.order]
    local answer = act and (act(order) or {}) or { error = "it does not know that order" }
    if message.reply then connection:publish(message.reply, json.encode(answer)) end
  end)
end

--- Gives an order, and waits until the worker has heard it.
---@param connection deskpilot.nats
---@param worker string
---@param order table order: its name
---@return table? answer, deskpilot.error? err not_found: no such worker listens; timed_out
function control.give(connection, worker, order)
  local answer, err = connection:request(subject_of(worker), json.encode(order), { timeout = WAIT, again = true })
  if not answer then return nil, err end
  local value, why = json.decode(answer.data, ORDER)
  if type(value) ~= "table" then return errors.fail("protocol", "the worker %s answered: %s", worker, tostring(why)) end
  if value.error then return errors.fail("refused", "the worker %s says: %s", worker, tostring(value.error)) end
  return value
end

return control
