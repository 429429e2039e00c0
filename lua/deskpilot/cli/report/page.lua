--- The page of a run: one HTML file that needs nothing from elsewhere. Its policy allows its own style and script by
--- their checksums and nothing else; all words of the journal are escaped (parts.lua, html.lua).
local drawings = require "deskpilot.cli.report.drawings"
local escape = require "deskpilot.cli.html".escape
local figures = require "deskpilot.cli.report.figures"
local image = require "native.image"
local lines = require "deskpilot.cli.report.lines"
local shipped_files = require "native.shipped"
local summary = require "deskpilot.cli.report.summary"
local system = require "native.system"

local page = {}

--- Where the page gets what is not in the journal.
---@class deskpilot.report_context
---@field picture fun(path: string): string? the address of a picture of the run's folder
---@field size fun(name: string): integer? the bytes of a file of the run's folder
---@field linked boolean? whether the files of requests can be reached from the page

---@class deskpilot.report_about
---@field name string what the run is called
---@field bytes integer? how much it has kept
---@field lost string? what of the journal could not be read
---@field going boolean? the run has not ended

--- Pictures beside the page, as in a run's folder.
---@type deskpilot.report_context
page.beside = { picture = function(path) return path end, size = function() end, linked = true }

local function asset(name)
  return assert(shipped_files.read("deskpilot/cli/report/" .. name), name .. " does not ship")
end

-- As the policy wants it: 'sha256-...'.
local function checksum(words)
  local bytes = system.sha256(words):gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
  return "'sha256-" .. image.base64(bytes) .. "'"
end

--- One turn.
---@param turn deskpilot.report_turn
---@param context deskpilot.report_context
---@param is_script boolean
---@return string html "" where there is nothing to be shown
function page.section(turn, context, is_script)
  local words, pictures = lines.of_turn(turn, context), figures.of_turn(turn, context)
  if words == "" and pictures == "" then return "" end
  local title = turn.number > 0 and "Turn " .. turn.number or is_script and "Script" or "Outside turns"
  local depth = math.min(10, select(2, tostring(turn.goal or ""):gsub("%.", "")))
  if turn.number > 0 and turn.goal then title = ("%s · goal %s"):format(title, tostring(turn.goal)) end
  local class = depth > 0 and (' class="within within%d"'):format(depth) or ""
  local took = type(turn.seconds) == "number" and ("took %.2f s"):format(turn.seconds) or ""
  return ('<section id="%s"%s><header><h2>%s</h2><span class="dim">%s %s</span></header>'
    .. '<div class="turn"><div>%s</div><div>%s</div></div></section>'):format(figures.anchor(turn), class,
      escape(title), type(turn.at) == "number" and ("at %.1f s"):format(turn.at) or "", took, pictures, words)
end

--- What stands above the turns.
---@param turns deskpilot.report_turns
---@param about deskpilot.report_about
---@return string
function page.head(turns, about)
  local time = drawings.time(summary.time(turns.events))
  local tokens, timeline = drawings.tokens(turns.events), drawings.timeline(turns.events)
  local function plot(name, drawn)
    return drawn ~= "" and ('<div class="plot"><h3>%s</h3>%s</div>'):format(name, drawn) or ""
  end
  return summary.html(turns.events, about) .. plot("timeline", timeline) .. plot("what the time went to", time)
    .. plot("tokens of each request", tokens)
end

-- The bar that stays in sight. The script fills in the personas.
local bar = [[<nav id="bar"><input id="search" type="search" placeholder="search ( / )" aria-label="search">
<select id="persona" aria-label="persona"><option value="">every persona</option></select>
<select id="kind" aria-label="kind"><option value="">everything</option><option value="act">acts</option>
<option value="model">models</option><option value="question">questions</option><option value="look">look-ups</option>
<option value="trouble">trouble</option></select><output id="found"></output>
<button type="button" id="unfold">unfold</button><button type="button" id="theme">dark / light</button>
<button type="button" id="keys" aria-label="keys">?</button></nav>
<dialog id="help"><h3>Keys</h3><dl><dt>j, →</dt><dd>next turn</dd><dt>k, ←</dt><dd>turn before</dd><dt>g, G</dt>
<dd>first, last turn</dd><dt>b</dt><dd>before, after, difference of the picture</dd><dt>o</dt><dd>fold or unfold the
turn's words</dd><dt>t</dt><dd>next turn with trouble</dd><dt>/</dt><dd>search</dd><dt>Esc</dt><dd>leave the search,
close this</dd><dt>d</dt><dd>dark or light</dd><dt>?</dt><dd>this</dd></dl></dialog>]]

--- A document with our style and script.
---@param parts { title: string, body: string, pictures: string, connects: string?, script: string? } pictures: where
---  the policy lets pictures come from; connects: what the script may ask; script: besides page.js
---@return string html
function page.document(parts)
  local style, script = asset "page.css", asset "page.js" .. (parts.script and asset(parts.script) or "")
  local policy = ("default-src 'none'; img-src %s; style-src %s; script-src %s; base-uri 'none'; form-action 'none'%s")
    :format(parts.pictures, checksum(style), checksum(script), parts.connects and "; connect-src " .. parts.connects
      or "")
  return table.concat {
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n',
    '<meta http-equiv="Content-Security-Policy" content="', policy, '">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="referrer" content="no-referrer">\n',
    "<title>", escape(parts.title), "</title><style>", style, "</style></head><body>\n",
    parts.body, "\n<script>", script, "</script></body></html>\n" }
end

--- The inside of a run's page.
---@param turns deskpilot.report_turns
---@param about deskpilot.report_about
---@param context deskpilot.report_context
---@return string
function page.body(turns, about, context)
  local list, is_script = {}, summary.is_script(turns.events)
  for _, turn in ipairs(turns.list) do list[#list + 1] = page.section(turn, context, is_script) end
  return table.concat { bar, '\n<div id="head">', page.head(turns, about), '</div>\n<div id="strip">',
    drawings.strip(turns, context), '</div>\n<main id="turns">', table.concat(list, "\n"), "</main>" }
end

--- The page of a run.
---@param turns deskpilot.report_turns
---@param about deskpilot.report_about
---@param context deskpilot.report_context?
---@return string html
function page.of(turns, about, context)
  return page.document { title = about.name, body = page.body(turns, about, context or page.beside),
    pictures = context and context.embedded and "data:" or "'self' file:" }
end

return page
