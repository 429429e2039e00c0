--- The token that programs have to know to use the server by HTTP: in a file that only its user can read.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"
local uv = require "luv"

local token = {}

local shortest = 16 -- characters

--- Where the token is unless another file is named.
---@return string
function token.default_path()
  return files.join(files.user_state_folder(), "mcp_token")
end

local function make(path)
  local ok, err = files.make_folder((files.split(path)), { private = true })
  local words = text.hex(uv.random(24))
  if ok then ok, err = files.write(path, words .. "\n", { private = true }) end
  if not ok then return nil, err end
  return words
end

-- Others must not be able to read it: whoever knows it has the desktop.
local function is_open(path)
  local stat = uv.fs_stat(path)
  return require "native.system".platform ~= "windows" and stat and stat.mode & tonumber("77", 8) ~= 0
end

--- The token of a file, which is made where it is not there.
---@param path string
---@return string? token, deskpilot.error? err
function token.of(path)
  if not files.exists(path) then return make(path) end
  if is_open(path) then
    return errors.fail("refused", "others can read the token in %s: chmod 600 it, or remove it to get a new one", path)
  end
  local words, err = files.read(path, 4096)
  if not words then return nil, err end
  words = text.trim(words)
  if #words < shortest or words:find "[^%w._~+/=-]" then
    return errors.fail("invalid", "%s must hold a token of at least %d letters and digits", path, shortest)
  end
  return words
end

return token
