--- What the tests give `literal` to act on: facts as a run hands them over, and what becomes of its answers.
local chat = require "deskpilot.model.wires.chat"
local decode = require "deskpilot.model.decode"
local harness = require "harness"
local literal = require "deskpilot.model.literal"

local literal_facts = {}

local function states_of(words)
  local states = {}
  for word in (words or ""):gmatch("%S+") do states[word] = true end
  return states
end

--- Elements of the desktop, each from { role, name, x, y, text =, states = "focused ..." }.
function literal_facts.elements(list)
  local elements = {}
  for i, item in ipairs(list) do
    elements[i] = { index = 100 + i, role = item[1], name = item[2], norm = { item[3] or 1, item[4] or 1 },
      text = item.text, states = states_of(item.states) }
  end
  return elements
end

--- A page: its elements, from 0 on, each from { role, name, value =, states = "..." }, and whatever `more` holds.
function literal_facts.page(list, more)
  local page = { title = "Register", url = "http://127.0.0.1:8000/", text = "", elements = {} }
  for i, item in ipairs(list) do
    page.elements[i] = { index = i - 1, role = item[1], name = item[2], value = item.value,
      states = states_of(item.states) }
  end
  for key, value in pairs(more or {}) do page[key] = value end
  return page
end

--- The most actions that a plan may have.
literal_facts.most_actions = 5

--- The tools of a request by those names.
function literal_facts.tools(names)
  local tools = {}
  for name in names:gmatch("%S+") do
    local parameters = { type = "object" }
    if name == "plan" then parameters.properties = { actions = { maxItems = literal_facts.most_actions } } end
    tools[#tools + 1] = { type = "function", ["function"] = { name = name, parameters = parameters } }
  end
  return tools
end

--- Asks literal as the client does; its reply, with `calls` decoded.
---@param facts table
---@param names string of the tools that are offered
---@return table reply
function literal_facts.ask(facts, names)
  local reply = assert(chat.read(literal.chat { facts = facts, tools = literal_facts.tools(names) }))
  harness.has(reply.content, literal.says_first)
  reply.calls = decode.reply(reply).calls
  harness.ok(#reply.calls == 0 or not reply.refusal, "never both")
  return reply
end

--- An action as a run keeps it.
function literal_facts.action(tool, args, why, error)
  return { tool = tool, args = args, why = args.justification or why, ok = error == nil, text = error or "done" }
end

return literal_facts
