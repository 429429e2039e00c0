--- What an agent does only after a person's yes (safety.approve): which acts are of which kind, and the question.
---
---   upload    a file is given to a page
---   open_app  a program is started, or a file or an address is opened with the user's program for it
---   submit    a form of a page is sent: by its button, or by Enter while a page has the keyboard
---   close     a window, a tab or a program is closed, by its tool or its keys
---   shell     anything is done in a terminal but scrolling, or one is started (safety.shells)
---   pay       a button or a link is pressed whose name means paying (safety.pay_buttons)
---
--- A yes holds for the action under way, or with "always" for the same act in the rest of the run.
local defaults = require "deskpilot.agent.approval_defaults"
local glob = require "deskpilot.base.glob"
local keys = require "native.desk"
local lists = require "deskpilot.agent.safety_lists"
local questions = require "deskpilot.agent.questions"
local text = require "deskpilot.base.text"

local approval = {}

approval.names = defaults.names

-- Elements that a press on does nothing but put the caret there, or that only hold others.
local held = { textbox = true, searchbox = true, text = true, entry = true, ["password text"] = true,
  ["document web"] = true, ["document frame"] = true, ["document text"] = true, frame = true, window = true,
  dialog = true, paragraph = true, heading = true, panel = true }

local closing = {}
for combo in ("alt+f4 ctrl+w ctrl+q ctrl+f4 ctrl+shift+w ctrl+shift+q"):gmatch "%S+" do
  closing[keys.canonical(combo)] = true
end

-- Keys as they are pressed together, by their usual name: "ctrl+w".
local function combo_of(down)
  local names = text.keys(down)
  local combo = table.concat(names, "+")
  return keys.canonical(combo) or combo
end

local function quits(act, subject)
  local combo = keys.canonical(combo_of(act.keys)) or ""
  if closing[combo] then return true end
  for what, own in pairs(subject.profile and subject.profile.shortcuts or {}) do
    if (what == "quit" or what:find "^close") and keys.canonical(own) == combo then return true end
  end
  return false
end

local function pays(config, element)
  if not element or held[element.role] or element.name == "" then return false end
  return glob.first(lists.together(config, "safety.pay_buttons"), { text.one_line(element.name) }) ~= nil
end

-- Whether what is done may press the element: a click, or a key that presses what has the focus.
local function presses(act)
  if act.act == "keys" then return act.keys.enter or act.keys.space or false end
  return act.act == "point" and act.what ~= "scroll" or act.act == "page" and act.what == "click"
    or act.act == "element" and act.what == "press"
end

--- Whether it needs to be known which element an act is about.
---@param config deskpilot.config
---@param act deskpilot.permitted_act
---@return boolean
function approval.wants_element(config, act)
  local wanted = approval.wanted(config)
  return presses(act) and (wanted.pay or wanted.submit and act.act == "point") or false
end

--- Whether it needs to be known which page an act is about, where it is in a browser.
---@param config deskpilot.config
---@param act deskpilot.permitted_act
---@return boolean
function approval.wants_page(config, act)
  local submits = act.act == "keys" and act.keys.enter and approval.wanted(config).submit
  return submits or approval.wants_element(config, act)
end

local kinds = {}

function kinds.upload(_, act) return act.act == "upload" end

function kinds.open_app(_, act) return act.act == "start" or act.act == "open" end

function kinds.close(_, act, subject)
  return act.act == "close" or act.act == "keys" and quits(act, subject)
end

function kinds.submit(_, act, subject)
  if act.act == "keys" then return act.keys.enter and subject.browser or false end
  return presses(act) and (act.submits or subject.element and subject.element.submits) or false
end

function kinds.shell(config, act, subject)
  if act.what == "scroll" or act.act == "focus" or not subject.names then return false end
  return glob.first(lists.together(config, "safety.shells"), subject.names) ~= nil
end

function kinds.pay(config, act, subject) return presses(act) and pays(config, subject.element) end

--- The kinds that a person is asked for.
---@param config deskpilot.config
---@return table<string, true>
function approval.wanted(config)
  local wanted = {}
  for _, name in ipairs(lists.together(config, "safety.approve")) do wanted[name] = true end
  return wanted
end

-- --- the question ---------------------------------------------------------------------------------------------

-- C1, characters without a width, and what turns the direction of a text round.
local unseen = { { 0x80, 0x9f }, { 0x200b, 0x200f }, { 0x202a, 0x202e }, { 0x2060, 0x2069 }, { 0xfeff, 0xfeff } }

--- A text of the screen's as a person may safely read it: what a terminal would obey, or what turns the direction of a
--- text round, is written out.
---@param words string
---@param most integer? characters; all of them if not given
---@return string
function approval.visible(words, most)
  if not utf8.len(words) then words = words:gsub("[\128-\255]", "?") end
  words = (most and text.cut(words, most) or words):gsub("%c", function(c) return ("\\x%02x"):format(c:byte()) end)
  for _, range in ipairs(unseen) do
    for code = range[1], range[2] do
      words = words:gsub(utf8.char(code), ("\\u{%04x}"):format(code)) -- pattern: one character
    end
  end
  return words
end

local visible = approval.visible

local function quoted(words, most) return '"' .. visible(words, most) .. '"' end

local says = {}

function says.keys(act) return "press " .. combo_of(act.keys) end
function says.text(act) return "type " .. quoted(act.words) end
function says.upload(act) return "upload " .. visible(table.concat(act.paths, ", ")) end
function says.start(act) return "open " .. quoted(act.profile and act.profile.name or act.program, 100) end
function says.open(act) return "open " .. visible(act.target) end
function says.close(act) return act.tab and "close the tab" or "close the window" end

local function on_element(act, subject)
  local element = subject.element
  if not element or element.name == "" then
    return act.x and ("%s at %d, %d"):format(act.what or "click", act.x, act.y) or tostring(act.what)
  end
  return ("%s %s %s"):format(act.what or "click", element.role, quoted(element.name, 200))
end

--- What is about to be done, and where, in words that are safe to be shown.
---@param act deskpilot.permitted_act
---@param subject deskpilot.act_subject
---@return string
function approval.words(act, subject)
  local what = (says[act.act] or on_element)(act, subject)
  local where = {}
  if subject.names and act.act ~= "start" then where[1] = " in " .. visible(subject.names[1], 60) end
  if subject.url then where[#where + 1] = " on " .. visible(subject.url:match("^[^?#]*"), 200) end
  if subject.window and not subject.url and subject.window.title ~= "" then
    where[#where + 1] = ", window " .. quoted(subject.window.title, 100)
  end
  return what .. table.concat(where)
end

-- What a yes is for: of a payment this button, of the others the application or site.
local function key_of(kind, act, subject)
  local where = subject.site or subject.names and subject.names[1] or act.program or act.target or ""
  return kind .. "\n" .. where .. (kind == "pay" and "\n" .. subject.element.name or "")
end

---@class deskpilot.approvals
---@field action table<string, true> what was allowed for the action under way
---@field run table<string, true> what was allowed for all of the run

--- The first kind of an act that a person has to allow and has not allowed yet.
---@param config deskpilot.config
---@param act deskpilot.permitted_act
---@param subject deskpilot.act_subject
---@param given deskpilot.approvals
---@return string? kind
function approval.missing(config, act, subject, given)
  local wanted = approval.wanted(config)
  for _, kind in ipairs(approval.names) do
    if wanted[kind] and kinds[kind](config, act, subject) then
      local key = key_of(kind, act, subject)
      if not given.action[key] and not given.run[key] then return kind end
    end
  end
end

local longest = 1500 -- bytes of what is asked for: all of it is in the question

--- Asks a person. What is allowed is kept.
---@param run deskpilot.run
---@param kind string
---@param act deskpilot.permitted_act
---@param subject deskpilot.act_subject
---@param given deskpilot.approvals
---@param why string? the agent's reason
---@return string? refused why not
function approval.ask(run, kind, act, subject, given, why)
  local what = approval.words(act, subject)
  if #what > longest then -- nobody allows what he has seen a part of
    return ("what is to be done (%s) is too long for a person to be shown all of it; do it in smaller parts"):format(
      text.cut(what, 60))
  end
  local answer, err = questions.consent(run, { what = ("%s (%s)"):format(what, kind), why = why and visible(why, 300),
    always = true })
  if not answer then
    return ("%s; safety.approve says which acts (%s) a person has to allow"):format(tostring(err), kind)
  end
  local key = key_of(kind, act, subject)
  given.action[key] = true
  if answer == "always" then given.run[key] = true end
end

return approval
