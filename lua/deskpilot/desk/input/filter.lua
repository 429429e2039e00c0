--- desk.input: what may be done, pressed and typed, whoever asks for it. Every key and every text asks here before it
--- goes to an application: what desk.keyboard and desk.mouse press and type, what desk.elements puts into a field, what
--- goes into a page by the DevTools protocol, what is put into the clipboard. So does every other act: a button of the
--- mouse, something done to an element or a page, a program that is started, an address that is opened, a window that
--- is closed. Who watches over a desk adds a filter.
---
--- Keys count as they will be down together: what is held already, and what is pressed now. Texts count as they will
--- stand together: what is typed now, behind what was typed before it, up to the last click or the last key that is no
--- character. A text that reaches an application in another way is not known here: dragged, pasted with the middle
--- button, pasted by a menu from what an application has copied, or entered through desk.native.
local keys = require "native.desk"
local errors = require "deskpilot.base.errors"
local options = require "deskpilot.base.option_table"
local signature = require "deskpilot.base.signature"

local filter = {}

local KEPT = 2000 -- bytes of what was typed before

--- What is forbidden: each function returns why, as a sentence, or nothing.
---@class deskpilot.input_filter
---@field keys (fun(down: table<string, true>): string?)? of keys that are to be down together, by their canonical
---  names without left and right
---@field text (fun(words: string, before: string, entered: boolean?): string?)? of a text that is to be typed or
---  entered; before: what was typed before it; entered: not by keys, but as a whole, by an act of its own
---@field paste (fun(read: fun(): string?): string?)? of a paste by keys; read() gives the text that would be pasted,
---  nil where it cannot be had
---@field act (fun(act: deskpilot.desk_act): string?)? of any other act; it may wait
---@field navigation (fun(url: string, tab: deskpilot.tab): string?)? of a document that a tab's main frame is about to
---  load, whoever has begun that: a link, a script of the page, a redirect; it may not wait
---@field web (fun(): boolean)? whether `navigation` has anything against any address of the web; without it, it may
---@field chooser (fun(tab: deskpilot.tab): string?)? told that the page of a tab has asked for a file: where there is
---  such a function the browser opens no dialog for that

--- What is about to be done, in the field `act`:
---   point     a button goes down, or the wheel turns, at the pixel `x`, `y` of the screen (`button`, `count`), in the
---             page of `tab` where that has confirmed it
---   element   desk.elements acts on `element` (`what`: press, set_text, ...)
---   page      something is done in the page of `tab` with the element `element` (role and name; `submits`: it sends a
---             form), where it is known (`what`: click, type, select, dialog)
---   start     a program is started: `program`, and its `profile` where it has one
---   open      `target`, a file or an address, is opened with the user's program for it
---   navigate  `tab` is sent to `url` (or a new tab, where it is nil)
---   upload    the files `paths` are given to the page of `tab`
---   focus     `window` is brought to the front
---   close     `window` or `tab` is closed
---@class deskpilot.desk_act
---@field act "point"|"element"|"page"|"start"|"open"|"navigate"|"upload"|"focus"|"close"
---@field x integer?
---@field y integer?
---@field button string?
---@field count integer?
---@field element { role: string, name: string, pid: integer? }?
---@field submits boolean?
---@field said deskpilot.page_words? of "point" and "page": what the page of `tab` has said of it a moment ago
---@field what string?
---@field tab deskpilot.tab?
---@field url string?
---@field paths string[]?
---@field program string?
---@field profile deskpilot.app_profile?
---@field target string?
---@field window deskpilot.window?

local modifiers = { ctrl = true, alt = true, alt_gr = true, shift = true, win = true }
local pastes = { ["ctrl+v"] = true, ["ctrl+shift+v"] = true, ["shift+insert"] = true }

-- A key's name without left and right; a character that is no key's name stands for itself.
local function plain(name)
  return keys.canonical(name) or name
end

-- The character that keys type, nil where they type none.
local function character(down, names)
  if down.ctrl or down.alt or down.win then return nil end
  local typed
  for _, name in ipairs(names) do
    name = plain(name)
    if not modifiers[name] then
      if typed or name ~= "space" and utf8.len(name) ~= 1 then return nil end
      typed = name == "space" and " " or name
    end
  end
  return typed
end

local function is_paste(down)
  local names = {}
  for name in pairs(down) do names[#names + 1] = name end
  return pastes[keys.canonical(table.concat(names, "+"))]
end

local function only_modifiers(names)
  for _, name in ipairs(names) do
    if not modifiers[plain(name)] then return false end
  end
  return true
end

local filter_options = { keys = "function", text = "function", paste = "function", act = "function",
  navigation = "function", web = "function", chooser = "function" }

local signatures = signature.of("desk.input", {
  add_filter = { "options" }, may_press = { "table" }, may_type = { "text" }, may_enter = { "text" }, clicked = {},
  set_held = { "text", "boolean" }, may_act = { "table" }, may_load = { "text", "table" },
  may_choose = { "table" }, judges = { "text" }, judges_web = {},
})

---@param desk deskpilot.desk
---@return deskpilot.desk.input
function filter.new(desk)
  ---@class deskpilot.desk.input
  local api = {}
  local filters, held, before = {}, {}, ""

  -- The first reason that one of the filters has, as an error.
  local function ask(question, ...)
    for _, each in ipairs(filters) do
      local why = each[question] and each[question](...)
      if why then return errors.fail("forbidden", "%s", tostring(why)) end
    end
    return true
  end

  local function read_clipboard()
    local words = desk.clipboard.get()
    return words ~= "" and words or nil
  end

  --- Adds a filter: from now on what it forbids is neither pressed nor typed on this desk, and who asks for it gets an
  --- error of the code "forbidden".
  ---@param how deskpilot.input_filter
  ---@return deskpilot.handle handle ends it
  function api.add_filter(how)
    options.check(how, filter_options, "desk.input.add_filter")
    local own = { keys = how.keys, text = how.text, paste = how.paste, act = how.act, navigation = how.navigation,
      web = how.web, chooser = how.chooser }
    table.insert(filters, own)
    return { remove = function()
      for i = #filters, 1, -1 do
        if filters[i] == own then table.remove(filters, i) end
      end
    end }
  end

  --- Whether these keys may go down now. Whoever presses keys asks this before.
  ---@param names string[] as native.desk's combo gives them
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_press(names)
    if #filters == 0 then return true end
    local down = {}
    for name in pairs(held) do down[name] = true end
    for _, name in ipairs(names) do down[plain(name)] = true end
    local ok, err = ask("keys", down)
    if ok and is_paste(down) then ok, err = ask("paste", read_clipboard) end
    local typed = character(down, names)
    if ok and typed then ok, err = ask("text", typed, before) end
    if not ok then return nil, err end
    if typed then before = (before .. typed):sub(-KEPT)
    elseif not only_modifiers(names) then before = "" end
    return true
  end

  -- The keys among what is typed: Enter and Tab always, every character while other keys are held.
  local function may_press_characters(words)
    local seen = {}
    for char in words:gmatch(next(held) and utf8.charpattern or "[\n\t]") do
      if not seen[char] then
        seen[char] = true
        local down = { [plain(char)] = true }
        for name in pairs(held) do down[name] = true end
        local ok, err = ask("keys", down)
        if ok and is_paste(down) then ok, err = ask("paste", read_clipboard) end
        if not ok then return nil, err end
      end
    end
    return true
  end

  --- Whether a text may be typed now, behind what was typed before. Whoever types asks this before, once.
  ---@param words string
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_type(words)
    if #filters == 0 then return true end
    local ok, err = ask("text", words, before)
    if ok then ok, err = may_press_characters(words) end
    if not ok then return nil, err end
    before = (before .. words):sub(-KEPT)
    return true
  end

  --- Whether a text may be entered as a whole: as the content of a field, into the clipboard. Whoever does that asks
  --- this before.
  ---@param words string
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_enter(words)
    return ask("text", words, "", true)
  end

  --- Whether something else may be done now. Whoever does it asks this before, with nothing pressed or held.
  ---@param act deskpilot.desk_act
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_act(act)
    return ask("act", act)
  end

  --- Whether a tab's main frame may load that document.
  ---@param url string
  ---@param tab deskpilot.tab
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_load(url, tab)
    return ask("navigation", url, tab)
  end

  --- Whether a page may have the browser open a dialog for files.
  ---@param tab deskpilot.tab
  ---@return boolean? ok, deskpilot.error? err code "forbidden"
  function api.may_choose(tab)
    return ask("chooser", tab)
  end

  --- Whether any filter has that function.
  ---@param question "keys"|"text"|"paste"|"act"|"navigation"|"chooser"
  ---@return boolean
  function api.judges(question)
    for _, each in ipairs(filters) do
      if each[question] then return true end
    end
    return false
  end

  --- Whether any filter may have something against a document of the web.
  ---@return boolean
  function api.judges_web()
    for _, each in ipairs(filters) do
      if each.navigation and (not each.web or each.web()) then return true end
    end
    return false
  end

  --- A click ends what was typed before it: whoever presses a button says so here.
  function api.clicked()
    before = ""
  end

  --- A key is down from now on, or up. Whoever presses or releases keys says so here.
  ---@param name string
  ---@param down boolean
  function api.set_held(name, down)
    held[plain(name)] = down or nil
  end

  return signatures(api)
end

return filter
