-- An agent with a tool of one's own beside the desktop's: it files an amount in a ledger. The tool checks what it is
-- given, and `verify` reads the ledger. It needs a language model. (A tool for all missions is a file of its own:
-- deskpilot new tool NAME.) Linux (galculator).
--   deskpilot run missions/cookbook/own_tool.lua --model NAME
local fields = require "deskpilot.agent.fields"
local files = require "deskpilot.base.files"

local ledger = files.join(assert(files.own_temporary_folder()), "cookbook-filed.csv")

---@type deskpilot.tool
local file_amount = {
  name = "file_amount",
  description = "Write an amount of money into the ledger.",
  parameters = fields.object {
    { name = "account", type = "string", enum = { "travel", "rent" }, description = "Which account it belongs to." },
    { name = "euro", type = "number", minimum = 0.01, maximum = 10000, description = "The amount." },
  },
  acts = false, -- the desktop does not change by it
  run = function(_, args)
    local ok, err = files.write(ledger, ("account,euro\n%s,%.2f\n"):format(args.account, args.euro))
    if not ok then return nil, err end
    return ("%.2f euro are filed under %s"):format(args.euro, args.account)
  end,
}

---@type deskpilot.mission
return {
  task = "Work out 17 times 23 in the calculator, and file the result under travel by file_amount.",
  policy = "task_executor",
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { turns = 20, seconds = 300 },
  before_run = function(m)
    files.remove(ledger)
    assert(m.toolbox:add(file_amount))
  end,
  verify = function(m)
    return m.checks.row { path = ledger, where = { account = "travel" }, has = { euro = "391.00" } }
  end,
}
