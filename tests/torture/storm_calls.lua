-- Calls of the system fail: once, a few times or for good, with the errors that they have, or come up short.
local missions = require "torture.missions"

local errors = {
  read = { "EIO", "EINTR", "short" }, write = { "EIO", "ENOSPC", "EINTR", "short" },
  send = { "ECONNRESET", "EPIPE", "EINTR", "short" }, recv = { "ECONNRESET", "EINTR", "short" },
  open = { "EMFILE", "ENFILE", "EACCES", "ENOENT", "EINTR" }, rename = { "EIO", "EACCES", "EXDEV" },
  mkdir = { "ENOSPC", "EACCES", "EROFS" }, unlink = { "EIO", "EACCES", "EBUSY" }, truncate = { "EIO" },
  fsync = { "EIO", "ENOSPC", "EINVAL" }, connect = { "ECONNREFUSED", "ETIMEDOUT", "EACCES" },
}
-- Of what is no file only what its own storm has (signals, surroundings): an eventfd, say, is never full.
local only_files = { read = "/", write = "/" }
local names = { "read", "write", "send", "recv", "open", "rename", "mkdir", "unlink", "truncate", "fsync", "connect" }

return {
  about = "read, write, open, rename, connect, ... fail at the Nth call",
  share = 26,
  case = function(pick)
    local mission = pick:integer(1, 12) == 1 and "browser" or pick:of(missions.quick)
    local call = pick:of(names)
    local how, times = pick:of(errors[call]), pick:of { "1", "1", "5", "all" }
    if how == "EINTR" and times == "all" then times = "20" end -- who tries again and again is right
    return { mission = mission, stays = call == "unlink" or nil, fail = { CALL = call, HOW = how, TIMES = times,
      AT = pick:number(missions.all[mission].calls[call]), PATH = only_files[call] } }
  end,
}
