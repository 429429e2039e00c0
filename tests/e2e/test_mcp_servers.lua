--- The official servers of the Model Context Protocol, "everything" and "filesystem", used over stdio and over HTTP:
--- their tools, what they ask, pictures, progress, resources, and that folders are limited by roots.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local packages = require "mcp_packages"
local ports = require "ports"
local server = require "deskpilot.mcp.server"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

server.timing.first = 0.05

-- Ways to a server: each gives the options of the connection, and what is to be closed.
local ways = {}

function ways.stdio(command) return { command = command } end

local function listening(words, env)
  local child = spawn.start(words, { env = env })
  local port
  t.wait_until("the server listens", function()
    port = ports.of(child.pid)
    return port or child.status and error(child.stdout .. child.stderr)
  end)
  return { url = ("http://127.0.0.1:%d/mcp"):format(port) }, function()
    if not child.status then child:kill "sigkill" end
    child:wait()
  end
end

function ways.http(command)
  if command[2]:find("server-everything", 1, true) then
    return listening({ command[1], command[2], "streamableHttp" }, { PORT = "0" })
  end
  return listening(packages.command(packages.gateway, "--stdio", table.concat(command, " "), "--outputTransport",
    "streamableHttp", "--stateful", "--port", "0"))
end

-- fn(call, one, list): call(name, args, options) gives the words of the first block, the whole result and an error.
local function with(way, command, fn, roots)
  local options, stop = ways[way](command)
  options.connect_timeout, options.client = 30, { name = "deskpilot", version = "test" }
  options.roots = function() return json.list(roots) end
  local one = server.new("other", options)
  local closing <close> = setmetatable({}, { __close = function()
    one:close()
    if stop then stop() end
  end })
  assert(closing)
  local list, changed = assert(one:tools(30)), 0
  one.on_change = function() changed = changed + 1 end
  local function tool_of(name) -- some are there only after the server knows what we can do, and says so then
    for _, tool in ipairs(changed > 0 and assert(one:tools(30)) or list) do
      if tool.name == name then return tool end
    end
  end
  fn(function(name, args, more)
    local given = { timeout = 30 }
    for key, value in pairs(more or {}) do given[key] = value end
    local result, err = one:call(t.wait_until(name, function() return tool_of(name) end), args or {}, given)
    return result and result.content[1] and result.content[1].text, result, err
  end, one, list)
end

for _, way in ipairs { "stdio", "http" } do
  local function add(name, fn) tests[way .. "_" .. name] = fn end
  local everything = packages.command(packages.everything)

  add("everything", function()
    with(way, everything, function(call, one, list)
      t.ok(#list >= 12, #list)
      t.eq(call("echo", { message = "hällo \u{1F600}" }), "Echo: hällo \u{1F600}")
      t.has(call("get-sum", { a = 2, b = 40 }), "42")
      local _, image = call "get-tiny-image"
      t.eq({ image.content[2].type, image.content[2].mimeType, #image.content[2].data > 100 },
        { "image", "image/png", true })
      local _, structured = call("get-structured-content", { location = "Chicago" })
      t.eq({ structured.structuredContent.temperature, structured.structuredContent.conditions },
        { 36, "Light rain / drizzle" })
      local _, links = call("get-resource-links", { count = 3 })
      t.eq({ #links.content, links.content[2].type }, { 4, "resource_link" })
      local _, wrong, err = call("get-sum", { a = "x" })
      t.ok(err or wrong.isError, "a wrong argument is told")
      local resources = t.ok(one:resources(30))
      t.ok(#resources > 3, #resources)
      local contents = t.ok(one:read(resources[1].uri, { timeout = 30 }))
      t.ok(#contents[1].text > 0)
      t.ok(one:read("demo://resource/dynamic/text/7", { timeout = 30 })[1].text:find "Resource 7")
      t.ok(not one:read("demo://nothing", { timeout = 30 }))
    end)
  end)

  add("everything_asks_and_takes_its_time", function()
    with(way, everything, function(call)
      local asked
      local said = call("trigger-elicitation-request", {}, { ask = function(method, params)
        asked = { method, type(params.requestedSchema.properties.name) }
        return { action = "accept", content = { name = "Ada" } }
      end })
      t.eq(asked, { "elicitation/create", "table" })
      t.has(said, "User provided the requested information")
      t.has(call("trigger-elicitation-request", {}, { ask = function() return { action = "decline" } end }), "declined")
      t.has(call "get-roots-list", "file:///nowhere")
      local told = {}
      t.has(call("trigger-long-running-operation", { duration = 1, steps = 4 }, { on_progress = function(p)
        told[#told + 1] = ("%g/%g"):format(p.progress, p.total)
      end }), "completed")
      t.eq(told, { "1/4", "2/4", "3/4", "4/4" })
      local began = task.now()
      t.fails("timed_out", "within 0.5 s", select(2, call("trigger-long-running-operation", { duration = 60,
        steps = 2 }, { timeout = 0.5 })))
      t.ok(task.now() - began < 10)
      t.eq(call("echo", { message = "after" }), "Echo: after")
    end, { { uri = "file:///nowhere" } })
  end)

  add("filesystem", spawn.in_folder(function(folder)
    local shown, hidden = files.join(folder, "shown"), files.join(folder, "hidden")
    for _, path in ipairs { shown, hidden } do assert(files.make_folder(path)) end
    assert(files.write(files.join(shown, "a.txt"), "what is in a: ä\n"))
    assert(files.write(files.join(hidden, "b.txt"), "secret"))
    with(way, packages.command(packages.filesystem, way == "stdio" and folder or shown), function(call, one, list)
      local reads = {}
      for _, tool in ipairs(list) do reads[tool.name] = tool.read_only end
      t.eq({ reads.read_text_file, reads.write_file, reads.edit_file }, { true, false, false })
      t.eq(call("read_text_file", { path = files.join(shown, "a.txt") }), "what is in a: ä\n")
      t.has(call("list_directory", { path = shown }), "a.txt")
      t.ok(call("write_file", { path = files.join(shown, "c.txt"), content = "written\n" }))
      t.eq(files.read(files.join(shown, "c.txt")), "written\n")
      local said, result = call("read_text_file", { path = files.join(hidden, "b.txt") })
      t.eq(result.isError, true, "it lies in no root")
      t.has(said, "ccess denied")
      if way == "stdio" then
        uv.kill(one.connection.transport.child.pid, "sigkill")
        t.wait_until("it is dead", function() return not one.connection end)
        t.eq(call("read_text_file", { path = files.join(shown, "a.txt") }), "what is in a: ä\n", "started again")
      end
    end, { { uri = "file://" .. shown } })
  end))
end

return tests
