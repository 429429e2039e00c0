--- What `./dev docs` makes of a checkout: of its comments the pages of docs/api and the types of the modules in C, of
--- the options that are declared the types of the configuration and the tables of docs/configuration.md; of the events
--- that are declared docs/journal.md, docs/journal.schema.json and docs/hooks.md.
local config_reference = require "deskpilot.cli.config_reference"
local config_types = require "deskpilot.cli.config_types"
local files = require "deskpilot.base.files"
local hooks_reference = require "deskpilot.cli.hooks_reference"
local journal_reference = require "deskpilot.cli.journal_reference"
local reference = require "deskpilot.cli.reference"
local stubs = require "deskpilot.cli.stubs"

local made = {}

-- Makes a folder hold these files and no others.
local function fill(folder, texts)
  local ok, err = files.make_folder(folder)
  if not ok then return nil, err end
  for _, name in ipairs(files.list(folder)) do
    if not texts[name] then files.remove(files.join(folder, name)) end
  end
  for name, words in pairs(texts) do
    ok, err = files.write(files.join(folder, name), words)
    if not ok then return nil, err end
  end
  return true
end

--- What is made of a checkout's comments: the files of each folder, by their names.
---@param root string the checkout's folder
---@return table<string, table<string, string>>? texts by the folder
---@return deskpilot.error? err
function made.texts(root)
  local native, err = stubs.texts(root)
  if not native then return nil, err end
  return { ["docs/api"] = reference.pages(), ["lua/types/native"] = native,
    ["lua/types/deskpilot"] = { ["config.d.lua"] = config_types.text() } }
end

--- Writes all that is made, and removes what was made of what is no more.
---@param root string the checkout's folder
---@return boolean? ok, deskpilot.error? err
function made.write(root)
  local all, err = made.texts(root)
  if not all then return nil, err end
  for folder, texts in pairs(all) do
    local ok, failure = fill(files.join(root, folder), texts)
    if not ok then return nil, failure end
  end
  for name, words in pairs(journal_reference.files()) do
    local ok, why = files.write(files.join(root, name), words)
    if not ok then return nil, why end
  end
  local written, reason = files.write(files.join(root, "docs/hooks.md"), hooks_reference.text())
  if not written then return nil, reason end
  return config_reference.write(files.join(root, "docs/configuration.md"))
end

return made
