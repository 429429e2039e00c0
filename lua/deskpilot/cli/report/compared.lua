--- Two runs side by side as a page: their actions as one list, each with the picture that it was decided on.
local comparison = require "deskpilot.cli.comparison"
local escape = require "deskpilot.cli.html".escape
local figures = require "deskpilot.cli.report.figures"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local page = require "deskpilot.cli.report.page"
local turns = require "deskpilot.cli.report.turns"

local compared = {}

-- The picture of each act of a run directory, in the order of the acts; empty for a trajectory.json.
local function pictures_of(path)
  local folder = files.is_folder(path) and path or (files.split(path))
  local events = files.exists(files.join(folder, "journal.jsonl")) and journal.read(folder)
  local list = {}
  for _, turn in ipairs(events and turns.of(events).list or {}) do
    for _, look in ipairs(turn.looks) do
      for _, act in ipairs(look.acts) do list[#list + 1] = { act = act, look = look, turn = turn } end
    end
  end
  return { list = list, folder = folder }
end

local function cell(run, number, pictures, context)
  local step = number and run.steps[number]
  if not step then return "<div></div>" end
  local shown = pictures.list[number]
  local picture = shown and shown.act.tool == step.tool
    and figures.of_turn({ number = shown.turn.number, looks = { { screenshot = shown.look.screenshot,
      image = shown.look.image, acts = { shown.act } } } }, context) or ""
  local failed = step.ok == false
  return ('<div><p class="event"><b class="%s">%d %s</b> <span class="dim">%s</span></p>%s</div>'):format(
    failed and "bad" or "", number, escape(comparison.action_words(step)),
    escape(comparison.outcome_words(step) or ""), picture)
end

--- The page.
---@param runs deskpilot.imported_run[] two
---@param paths string[] where they were read
---@param embed fun(folder: string): deskpilot.report_context
---@return string html
function compared.html(runs, paths, embed)
  local pictures, contexts = {}, {}
  for i, path in ipairs(paths) do
    pictures[i] = pictures_of(path)
    contexts[i] = embed(pictures[i].folder)
  end
  local rows = {}
  for i, places in ipairs(comparison.align(runs[1].steps, runs[2].steps)) do
    local cells = {}
    for side, number in ipairs { places.a or false, places.b or false } do
      cells[side] = cell(runs[side], number or nil, pictures[side], contexts[side])
    end
    rows[i] = ('<section id="row%d"><div class="runs">%s</div></section>'):format(i, table.concat(cells))
  end
  local head = {}
  for i, line in ipairs(comparison.head(runs[1], runs[2])) do head[i] = escape(line) end
  return page.document { title = ("%s and %s"):format(runs[1].name, runs[2].name), pictures = "data:",
    body = ("<h1>%s</h1><pre>%s</pre><main>%s</main>"):format(escape("Two runs: A " .. runs[1].name .. ", B "
      .. runs[2].name), table.concat(head, "\n"), table.concat(rows, "\n")) }
end

return compared
