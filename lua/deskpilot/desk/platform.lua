--- What differs from one system to another and is no C: this one's part of linux/platform.lua or
--- windows/platform.lua, which have the same fields.
---@class deskpilot.platform
---@field apps_desktop "private"|"current" where a mission's desktop.apps start if it does not say
---@field advice table<string, string> how to mend what does not work: display, capture, input, windows, elements
---@field spawn fun(path: string, options: table, on_exit: function): any, any as luv's spawn: a program without a
---  folder is one of the PATH
---@field private_needs fun(): string[], string? what private desktops lack here, and how to mend that
---@field private_limits string? what private desktops cannot do here
return require("deskpilot.desk." .. require("native.system").platform .. ".platform")
