-- The quiz of missions/quiz.lua: two pages of questions with figures that are drawn anew for each run, an answer sheet,
-- and a mark. It serves 127.0.0.1 from the mission's own process, and writes down what was handed in.
local http_form = require "deskpilot.net.http_form"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local paper = {}

local day = 24 * 3600
local weekdays = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" }
local boats = { "Albatross", "Seagull", "Petrel" }
local most_remembered = 100 -- sheets that are handed in after the first

local function euro(cents) return ("%d.%02d"):format(cents // 100, cents % 100) end

local function iso(time) return os.date("!%Y-%m-%d", time) end

-- Six fees of three boats; those of each boat have a mean without fractions of a cent.
local function fees()
  local list = {}
  for i = 1, 6 do list[i] = { boat = boats[(i - 1) % 3 + 1], cents = 2 * math.random(500, 9999) } end
  return list
end

local function total(list, boat)
  local sum, count = 0, 0
  for _, fee in ipairs(list) do
    if not boat or fee.boat == boat then sum, count = sum + fee.cents, count + 1 end
  end
  return sum, count
end

local function largest(list)
  local most = 0
  for _, fee in ipairs(list) do most = math.max(most, fee.cents) end
  return most
end

-- The questions, each { question, how it is answered, the right answer }.
local function questions(list)
  local count, price = math.random(11, 99), math.random(101, 999)
  local from = (20000 + math.random(0, 300)) * day -- seconds since 1970, from 2024 on
  local span, other, boat = math.random(20, 400), from + math.random(1, 900) * day, boats[math.random(1, 3)]
  local sum, number = total(list, boat)
  return {
    { ("What do %d notebooks cost, at %s euro each?"):format(count, euro(price)), "in euro, with two decimals",
      euro(count * price) },
    { ("How many days are there from %s to %s?"):format(iso(from), iso(from + span * day)), "a whole number",
      tostring(span) },
    { ("Which day of the week is %s?"):format(iso(other)), "its English name",
      weekdays[math.tointeger(os.date("!%w", other)) + 1] },
    { "What is the sum of all fees?", "in euro, with two decimals", euro(total(list)) },
    { ("What is the mean of the fees of the %s?"):format(boat), "in euro, with two decimals", euro(sum // number) },
    { "What is the largest fee?", "in euro, with two decimals", euro(largest(list)) },
  }
end

local head = [[<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s - Harbour quiz</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 760px; margin: 16px auto; color: #223 } td { padding: 0 16px 0 0 }
input { font: inherit; margin: 4px 8px }</style></head><body><h1>Harbour quiz: %s</h1>
]]

local function page(title, parts, status)
  return { status = status, headers = { ["Content-Type"] = "text/html; charset=utf-8" },
    body = head:format(title, title) .. table.concat(parts, "\n") .. "\n</body></html>\n" }
end

local function asked(self, first, last)
  local parts = {}
  for i = first, last do
    parts[#parts + 1] = ("<p>Question %d: %s (Answer: %s)</p>"):format(i, self.questions[i][1], self.questions[i][2])
  end
  return parts
end

local function first_page(self)
  local parts = asked(self, 1, 3)
  parts[#parts + 1] = '<p><a href="/two">Next page</a></p>'
  return page("page one", parts)
end

local function second_page(self)
  local rows = {}
  for i, fee in ipairs(self.fees) do
    rows[i] = ("<p>Fee: %s; %s</p>"):format(fee.boat, euro(fee.cents))
  end
  local parts = { "<p>Berths in the harbour, each with its boat and its fee in euro:</p>", table.concat(rows, "\n") }
  table.move(asked(self, 4, 6), 1, 3, 3, parts)
  parts[#parts + 1] = '<p><a href="/sheet">Answer sheet</a></p>'
  return page("page two", parts)
end

local function sheet(self)
  local parts = { '<form method="post" action="/sheet">' }
  for i in ipairs(self.questions) do
    parts[#parts + 1] = ('<p><label>Answer %d <input name="a%d" autocomplete="off"></label></p>'):format(i, i)
  end
  parts[#parts + 1] = "<button>Hand in</button></form>"
  return page("answer sheet", parts)
end

-- Marks what was handed in. Only the first sheet counts.
local function hand_in(self, request)
  local fields, err = http_form.read(request)
  if not fields then return page("not read", { "<p>" .. tostring(err):gsub("[<&]", " ") .. "</p>" }, 400) end
  local given = {}
  for _, field in ipairs(fields) do given[field.name] = text.trim(field.value) end
  local made = { answers = json.list(), right = 0 }
  for i, question in ipairs(self.questions) do
    made.answers[i] = given["a" .. i] or ""
    if made.answers[i] == question[3] then made.right = made.right + 1 end
  end
  local sheets = self.record.sheets
  if #sheets <= most_remembered then table.insert(sheets, made) end
  return page("mark", { ("<p>Handed in. You have %d of %d.</p>"):format(sheets[1].right, #self.questions) })
end

local function route(self, request)
  local path = request.path
  if path == "/sheet" and request.method == "POST" then return hand_in(self, request) end
  if request.method ~= "GET" then return { status = 405, headers = { Allow = "GET, HEAD" } } end
  if path == "/" then return first_page(self) end
  if path == "/two" then return second_page(self) end
  if path == "/sheet" then return sheet(self) end
end

--- Starts the quiz.
---@return table quiz url, questions (each with its right answer as the third), record { sheets: { answers, right }[] }
--- and stop()
function paper.start()
  local self = { fees = fees(), record = { sheets = json.list() } }
  self.questions = questions(self.fees)
  local server = assert(http_server.start(function(request) return route(self, request) end, { max_body = 65536 }))
  self.url, self.stop = server.url, function() server:stop() end
  return self
end

return paper
