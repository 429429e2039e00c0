--- Documents that are made from the code are as the code says.
local t = require "harness"
local files = require "deskpilot.base.files"
local config = require "deskpilot.base.config"

local tests = {}

local head = "# Configuration\n\n"

function tests.configuration()
  local page = t.ok(files.read("docs/configuration.md")) or ""
  t.has(page, head)
  t.has(page, config.describe(), "docs/configuration.md holds the table that config.describe() makes")
end

return tests
