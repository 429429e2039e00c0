--- What the calculator mission costs in tokens, with the policy three_body: counted here from the requests in the run's
--- folder, without the program's own count. Public tokenizers say the same (`./dev tokens`, docs/models.md): this
--- estimate is within a few hundredths of Qwen3's.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local native = require "native.image"
local spawn = require "spawn"
local token_count = require "deskpilot.agent.token_count"

local tests = {}

local most = 6100 -- tokens that no earlier request has at its beginning

local function play(...)
  local folder = spawn.folder()
  local child = spawn.run({ spawn.program, "run", "missions/calculator.lua", "--model", "literal", "--json", "--runs",
    folder, ... }, { env = { TMPDIR = folder } })
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "succeeded", child.stderr)
  return result, folder
end

-- The run's requests, each as a list of texts and pictures ({ path, width, height }) in the order of a chat template.
local function requests_of(folder)
  local list, names = {}, files.list(files.join(folder, "requests"))
  table.sort(names)
  for _, name in ipairs(names) do
    local request = name:find "%.request%.json$" and json.decode(files.read(files.join(folder, "requests", name)))
    if request then
      local parts = {}
      for _, tool in ipairs(request.tools or {}) do parts[#parts + 1] = json.encode(tool) .. "\n" end
      for _, message in ipairs(request.messages) do
        parts[#parts + 1] = "<|im_start|>" .. message.role .. "\n"
        local content = message.content
        for _, part in ipairs(type(content) == "table" and content or { { text = content } }) do
          local path = part.image_url and part.image_url.url
          if path then
            local width, height = assert(native.load(files.read(files.join(folder, path)))):size()
            parts[#parts + 1] = { path, width, height }
          else
            parts[#parts + 1] = part.text
          end
        end
      end
      list[#list + 1] = { name = name:match "^[^.]+", parts = parts }
    end
  end
  return list
end

local function same(a, b)
  if type(a) == "table" and type(b) == "table" then return a[1] == b[1] end
  return a == b
end

local function tokens(part)
  return type(part) == "table" and token_count.of_picture(part[2], part[3]) or token_count.of_text(part)
end

-- Parts that begin no earlier request are new as a whole.
local function new_of(list, n)
  local best, sum = 0, 0
  for i = 1, n - 1 do
    local at = 0
    while list[n].parts[at + 1] and same(list[n].parts[at + 1], list[i].parts[at + 1]) do at = at + 1 end
    best = math.max(best, at)
  end
  for i = best + 1, #list[n].parts do sum = sum + tokens(list[n].parts[i]) end
  return sum
end

function tests.the_calculator_mission_needs_few_new_tokens()
  local result, folder = play()
  local list, sum, told = requests_of(result.run_dir), 0, {}
  t.eq(#list, result.model.calls)
  for n, request in ipairs(list) do
    local new = new_of(list, n)
    sum = sum + new
    told[n] = request.name .. ": " .. new
  end
  t.ok(sum <= most, ("%d new tokens, %d at the most: %s"):format(sum, most, table.concat(told, ", ")))
  t.ok(sum > most // 2, "and the count counts: " .. sum)
  t.ok(math.abs(result.tokens.new - sum) < 100, ("the program says %d, it is %d"):format(result.tokens.new, sum))
  t.ok(result.tokens.all_tools > 4 * result.tokens.tools, "tools of the phase against all of them")
  for _, event in ipairs(journal.read(result.run_dir)) do
    if event.event == "observed" then t.ok(event.tree > event.elements, "the applications report more than is told") end
  end
  local report = spawn.run { spawn.program, "report", result.run_dir }
  t.eq(report.status, 0, report.stderr)
  t.has(files.read(files.join(result.run_dir, "report.html")), "<dt>request tokens</dt>")
  files.remove(folder)
end

function tests.all_anew_in_every_request_costs_more()
  local result, folder = play("--set", "observe.looks=1", "--set", "screen.trim=false")
  t.ok(result.tokens.new > 2 * most, result.tokens.new)
  files.remove(folder)
end

return tests
