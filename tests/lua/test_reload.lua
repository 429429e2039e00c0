--- Files that are edited while a run goes on: they count from the next turn on, a broken one is told of with its line
--- and the one before goes on, and a mended one counts again.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local null_run = require "null_run"
local placeholders = require "deskpilot.cli.placeholders"
local reloading = require "deskpilot.agent.reloading"
local source_lines = require "deskpilot.cli.source_lines"
local system = require "native.system"
local uv = require "luv"

local tests = {}

local policy = [[
local persona = require "deskpilot.agent.persona"
return { tools = { "finish", "user" }, personas = { agent = {} }, turn = function(run)
  local box = persona.toolbox(run, { "finish", "user" })
  persona.ask(run, "agent", { system = %q .. persona.prompt "mine", toolbox = box, tools = box:names(), text = "Go." })
  if run.turn == 6 then run:stop("failed", "enough") end
end }
]]

local tool = [[
return { name = "poke", description = %q, parameters = { type = "object", properties = {} },
  run = function() return "done" end }
]]

local guard = "return { turn_start = function(run) run:note %q end }"

local function reload_all()
  return reloading.new(function(path, key) return source_lines.of(assert(files.read(path)), key) end,
    placeholders.problems)
end

-- Runs six turns; before turn n + 1, `edits[n]` is given the function that writes a file of the project.
local function play(edits)
  local asked, root, started = {}, nil, false
  local function put(name, words, mode)
    local path = files.join(root, "deskpilot", name)
    t.ok(files.make_folder((files.split(path))))
    t.ok(files.write(path, words))
    if mode then assert(uv.fs_chmod(path, mode)) end
  end
  -- The project's folder is made by null_run; the policy has to be there before it is looked for.
  local set_roots = lookup.set_roots
  lookup.set_roots = function(where)
    set_roots(where)
    if where.project_folder and not started then
      root, started = where.project_folder, true
      put("policies/mine.lua", policy:format "ONE ")
      put("prompts/mine.md", "prompt one")
      put("tools/poke.lua", tool:format "poke one")
      put("guards/noting.lua", guard:format "guard one")
    end
  end
  local ok, run, events = pcall(null_run.play, { task = "do", policy = "mine" }, { reloading = reload_all(),
    model = function(request)
      asked[#asked + 1] = request
      if edits[#asked] then edits[#asked](put, root) end
      return null_run.calls({}, "words alone")
    end })
  lookup.set_roots = set_roots
  if not ok then error(run, 0) end
  return asked, events, run
end

-- What a request says of its tools.
local function offered(request)
  local list = {}
  for i, one in ipairs(request.tools) do list[i] = json.encode(one) end
  return table.concat(list, "|")
end

-- What the requests say, each once: a turn may ask twice.
local function systems(asked)
  local list = {}
  for _, request in ipairs(asked) do
    local said = request.system or request.messages[1].content
    if list[#list] ~= said then list[#list + 1] = said end
  end
  return list
end

local function reload_errors(events)
  local list = {}
  for _, one in ipairs(null_run.only(events, "error")) do
    if one.name == "reload" then list[#list + 1] = one.message end
  end
  return list
end

function tests.policy_prompt_tool_and_guard_count_from_the_next_turn_on()
  local asked, events = play { [2] = function(put)
    put("policies/mine.lua", policy:format "TWOO ")
    put("prompts/mine.md", "prompt two!")
    put("tools/poke.lua", tool:format "poke two!")
    put("guards/noting.lua", guard:format "guard two!")
  end }
  local said = table.concat(systems(asked), "|")
  t.has(said, "ONE prompt one")
  t.has(said, "TWOO prompt two!")
  t.has(offered(asked[1]), "poke one")
  t.has(offered(asked[#asked]), "poke two!")
  local notes = {}
  for _, note in ipairs(null_run.only(events, "note")) do notes[#notes + 1] = note.message end
  local words = table.concat(notes, "|")
  t.has(words, "guard one")
  t.has(words, "guard two!")
  t.has(words, "your own files, from now on:")
  t.eq(#null_run.only(events, "error"), 0)
end

function tests.a_broken_edit_is_told_with_its_line_and_a_mended_one_counts()
  local asked, events = play {
    [1] = function(put)
      put("policies/mine.lua", "return {\n  turn = 5,\n}\n")
      put("tools/poke.lua", "return {\n  name = 'poke'\n  oops\n}\n")
    end,
    [3] = function(put) put("policies/mine.lua", policy:format "MENDED ") end,
  }
  local list = systems(asked)
  t.has(list[1], "ONE")
  t.has(list[#list], "MENDED")
  local errors = reload_errors(events)
  t.eq(#errors, 2, table.concat(errors, "|"))
  local words = table.concat(errors, "|")
  t.has(words, "mine.lua:2: must return a table with a function `turn(run)`")
  t.has(words, "poke.lua:3:")
end

function tests.a_broken_prompt_is_told_and_its_words_before_are_sent()
  local root
  local asked, events = play {
    [1] = function(put) put("prompts/mine.md", "prompt two\n\n{{nobody}} fills this") end,
    [2] = function(put) put("prompts/mine.md", "prompt three, which is mended") end,
    [3] = function(put) put("prompts/mine.md", "  \n") end,
    [4] = function(_, where)
      root = where
      assert(os.remove(where .. "/deskpilot/prompts/mine.md"))
    end,
    [5] = function(put) put("prompts/mine.md", "prompt four") end,
  }
  t.ok(root)
  local said = {}
  for i, words in ipairs(systems(asked)) do said[i] = words:match "^[^\n]*" end
  t.eq(said, { "ONE prompt one", "ONE prompt three, which is mended", "ONE prompt four" })
  local list = reload_errors(events)
  t.eq(#list, 3, table.concat(list, "|"))
  t.has(list[1], "the prompt mine was edited and cannot be used, so the one before goes on: ")
  t.has(list[1], "mine.md:3: nothing fills {{nobody}}")
  t.has(list[2], "mine.md:1: the prompt is empty")
  t.has(list[3], "there is no prompts/mine.md")
end

-- What others may have written is as little used as at the start of a run.
function tests.whose_files_are_used_is_asked_again()
  if system.platform == "windows" then return end
  local asked, events = play { [1] = function(put) put("policies/mine.lua", policy:format "THEIRS ", 438) end } -- 0666
  t.ok(not table.concat(systems(asked), "|"):find "THEIRS")
  local errors = null_run.only(events, "error")
  t.has(errors[1] and errors[1].message or "nothing", "mine.lua is not used: it may be written by")
end

return tests
