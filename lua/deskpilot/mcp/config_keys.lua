--- The options of the servers that are used.
local protocol = require "deskpilot.mcp.protocol"

return {
  { options = {
    mcp = { type = "entries", about = "a server of the Model Context Protocol, by its name: its tools are offered as "
      .. "`NAME__TOOL`, in a group of that name", fields = {
      command = { type = "list", about = "the program that is the server, and its arguments; it is started without a "
        .. "shell" },
      cwd = { type = "string", about = "the folder that it is started in" },
      env_from = { type = "secret_file", whole = true, about = "file with lines NAME=VALUE: variables that it gets "
        .. "beside the harmless ones" },
      url = { type = "string", about = "the address of a server that is reached by HTTP, in place of `command`" },
      headers_from = { type = "secret_file", whole = true, about = "file with lines NAME: VALUE, headers for requests "
        .. "to `url` and to no other host" },
      ca_file = { type = "string", about = "PEM file of the authorities that its certificate may be of, in place of "
        .. "the system's" },
      revision = { type = "string", choices = { table.unpack(protocol.revisions) }, about = "the revision of the "
        .. "protocol to speak; unless set, as the server answers" },
      tools = { type = "list", about = "the only tools of it that are offered, by pattern" },
      phases = { type = "list", about = "the only phases of the policy in which they are, each by its name or the "
        .. "words that its name begins with" },
      consent = { type = "string", default = "writes", choices = { "writes", "always" }, about = "which of its tools a "
        .. "person has to allow at each call: those that it does not mark as read-only, or all" },
      approved = { type = "list", default = {}, about = "tools of it that may be called without that, by pattern" },
      timeout = { type = "number", min = 0.1, max = 86400, about = "seconds that a call may take without telling of "
        .. "progress; `tools.mcp_timeout` unless set" },
      connect_timeout = { type = "number", default = 20, min = 0.1, max = 600, about = "seconds until it has to be "
        .. "ready" },
    } },
  } },
  { section = "tools", options = {
    mcp_timeout = { type = "number", default = 60, min = 0.1, max = 86400, about = "seconds that a call of an MCP "
      .. "server's tool may take without telling of progress; ten times as long in all" },
  } },
}
