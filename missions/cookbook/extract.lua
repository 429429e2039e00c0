-- Has an agent read data from the screen and give it as JSON: the tool's schema says what it has to be, an answer that
-- does not fit goes back to the model with what is wrong with it. It needs a language model. Linux (mousepad).
--   deskpilot run missions/cookbook/extract.lua --model NAME
local fields = require "deskpilot.agent.fields"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"

local folder = assert(files.own_temporary_folder())
local note, result = files.join(folder, "cookbook-order.txt"), files.join(folder, "cookbook-order.json")
local words = "Order 4711 of 2025-03-09\nAda Lovelace, London\n2 x chart\n1 x compass\n"

---@type deskpilot.tool
local give_order = {
  name = "give_order",
  description = "Give the order that the screen shows, as data.",
  parameters = fields.object {
    { name = "number", type = "integer", minimum = 1 },
    { name = "date", type = "string", pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
    { name = "customer", type = "string", minLength = 1 },
    { name = "lines", type = "array", minItems = 1, items = fields.object {
      { name = "item", type = "string" }, { name = "count", type = "integer", minimum = 1 } } },
  },
  acts = false,
  run = function(_, args)
    local ok, err = files.write(result, json.encode(args) .. "\n")
    if not ok then return nil, err end
    return "the order is written down"
  end,
}

---@type deskpilot.mission
return {
  task = "Give the order in the editor by give_order, exactly as it stands there.",
  policy = "task_executor",
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { turns = 10, seconds = 300 },
  before_run = function(m)
    files.remove(result)
    assert(files.write(note, words))
    assert(m.desk.apps.start { "mousepad", "--disable-server", note, wait = 15 })
    assert(m.toolbox:add(give_order))
  end,
  verify = function(m) return m.checks.file { path = result, contains = '"number":4711' } end,
}
