--- Filling in what is on a page: typing into fields, choosing, giving files and taking them.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hands_of = require("deskpilot.desk.browser.page_hands").of
local options = require "deskpilot.base.option_table"
local page = require "deskpilot.desk.browser.page"
local pointer = require "deskpilot.desk.browser.page_pointer"
local signal = require "deskpilot.base.signal"
local text = require "deskpilot.base.text"

local acts = { methods = {} }
---@class deskpilot.tab
local methods = acts.methods

local MOST_TYPED = 100000 -- characters

local function refused(target, format, ...)
  return errors.fail("refused", "%s", target.label .. " " .. format:format(...))
end

-- Asks about a target; what makes it none is an error.
local function ask(tab, target, name, argument)
  local told, err = page.ask(tab, name, argument, tab.browser.desk.timing.page_act)
  if not told then return nil, err end
  local failure = page.failure(target, told)
  if failure then return nil, failure end
  return told
end

-- --- typing ---------------------------------------------------------------------------------------------

local valued = { date = "2026-12-31", month = "2026-12", week = "2026-W52", time = "18:30",
  ["datetime-local"] = "2026-12-31T18:30", color = "#ff8800", range = "50" }

-- Fields that take a value and no keys.
local function set_value(tab, target, aimed, words)
  local told, err = ask(tab, target, "setValue", { ref = target.ref, value = words })
  if not told then return nil, err end
  if told.accepted then return { value = told.value, autocomplete = false } end
  return refused(target, "takes no such value; it wants one like %s", valued[aimed.type])
end

local function secret(told)
  return told.secret == true
end

-- What the field holds after the text.
local function check(tab, target, words, replaced)
  local told, err = page.ask_again(tab, "holds", { typed = words, replaced = replaced,
    seconds = tab.browser.desk.timing.type_verify }, tab.browser.desk.timing.page_act)
  if not told then
    if tab:dialog() or tab.closed then return { autocomplete = false } end
    return nil, err
  end
  if told.left or told.lost or told.gone then return { autocomplete = false } end
  if not told.kept then
    return refused(target, "was typed into and does not hold the text%s", secret(told) and "" or not told.changed
      and "; it is as it was before" or (", but '%s'"):format(text.cut(tostring(told.value), 100)))
  end
  return { value = not secret(told) and tostring(told.value) or nil, autocomplete = told.autocomplete == true }
end

-- The caret where it is wanted: the whole text selected, or its end.
local function prepare(tab, target, hands, aimed, replaced)
  local told, err = ask(tab, target, "noteContent", {})
  if not told then return nil, err end
  if told.length == 0 and not replaced then return true end
  local ok
  ok, err = hands.key(tab, replaced and "all" or aimed.many and "text_end" or "line_end")
  if not ok then return nil, err end
  if not replaced then return true end
  return ask(tab, target, "selected", {})
end

local function put(tab, target, hands, words, replaced)
  local body, enters = words:match("^(.-)(\n*)$")
  if body == "" and replaced then
    local ok, err = hands.key(tab, "delete")
    if not ok then return nil, err end
  elseif body ~= "" then
    local ok, err = hands.type(tab, body)
    if not ok then return nil, err end
  end
  local result = { autocomplete = false }
  if not body:find("[\t\n]") then
    local told, err = check(tab, target, body, replaced)
    if not told then return nil, err end
    result = told
  end
  if enters ~= "" then
    local ok, why = hands.type(tab, enters)
    if not ok and not tab:dialog() then return nil, why end
  end
  return result
end

local function write(tab, target, words, how, replaced)
  if (utf8.len(words) or #words) > MOST_TYPED then
    return errors.fail("invalid", "no more than %d characters are typed at a time", MOST_TYPED)
  end
  local hands = hands_of(how.input)
  local told, err = ask(tab, target, "aim", { ref = target.ref })
  if not told then return nil, err end
  local states = type(told.states) == "table" and told.states or {}
  if states.disabled then return refused(target, "is disabled") end
  if valued[told.type] then return set_value(tab, target, told, words) end
  if not states.editable then return refused(target, "is nothing to type into") end
  local aimed
  aimed, err = pointer.click(tab, target, { input = how.input })
  if not aimed then return nil, err end
  local focus
  focus, err = ask(tab, target, "focused", { seconds = tab.browser.desk.timing.focus })
  if not focus then return nil, err end
  if not focus.focused then return refused(target, "was clicked and did not take the keyboard") end
  local ok
  ok, err = prepare(tab, target, hands, aimed, replaced)
  if not ok then return nil, err end
  return put(tab, target, hands, words, replaced)
end

local type_options = { input = "string", replace = "boolean" }

--- Types text into a field: it is clicked, the caret goes to the end of what it holds (or all of that is
--- replaced), and what it holds afterwards is read. Line breaks at the end are Enter, pressed when the text is
--- there. Fields for dates, times and colours take the text as their value, such as 2026-12-31.
---@param target integer|deskpilot.page_element as tab:click's
---@param words string
---@param how { input: "real"|"cdp"|nil, replace: boolean? }?
---@return { value: string?, autocomplete: boolean }? typed what the field holds (not of a secret one), and whether it
---  offers suggestions, from which one may have to be chosen
---@return deskpilot.error? err code "stale", "refused"
function methods.type(self, target, words, how)
  assert(type(words) == "string", "tab:type wants a text")
  how = options.check(how, type_options, "tab:type")
  local found, err = page.target(self, target)
  if not found then return nil, err end
  return write(self, found, words, how, how.replace == true)
end

--- Empties a field.
---@param target integer|deskpilot.page_element as tab:click's
---@param how { input: "real"|"cdp"|nil }?
---@return boolean? ok, deskpilot.error? err
function methods.clear(self, target, how)
  how = options.check(how, { input = "string" }, "tab:clear")
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local typed, failure = write(self, found, "", how, true)
  if not typed then return nil, failure end
  return true
end

-- --- choosing -------------------------------------------------------------------------------------------

local function offers(list)
  local names = {}
  for i, name in ipairs(type(list) == "table" and list or {}) do
    if i > 20 then break end
    names[i] = "'" .. text.cut(tostring(name), 60) .. "'"
  end
  return #names > 0 and "; there are " .. table.concat(names, ", ") or ""
end

-- A list that the page has made itself: opened by a click, where the choice is clicked.
local function choose_by_clicks(tab, target, wanted, told, how)
  local timing = tab.browser.desk.timing
  local open = type(told.states) == "table" and told.states.expanded
  local choice, err = { absent = true }, nil
  if open then choice, err = page.ask(tab, "findChoice", { wanted = wanted, seconds = 0 }, timing.page_act) end
  if choice and choice.absent then
    local ok, why = pointer.click(tab, target, { input = how.input })
    if not ok then return nil, why end
    choice, err = page.ask(tab, "findChoice", { wanted = wanted, seconds = timing.element_action }, timing.page_act)
  end
  if not choice then return nil, err end
  if choice.absent then
    return errors.fail("not_found", "%s", ("%s offers no '%s'%s"):format(target.label, text.cut(wanted, 80),
      offers(choice.options)))
  end
  local chosen = { ref = { handle = choice.handle }, label = ("the choice '%s'"):format(text.cut(wanted, 80)) }
  local ok, why = pointer.click(tab, chosen, { input = how.input })
  if not ok then return nil, why end
  return true
end

--- Chooses what a select or a list of the page's offers, by what is shown or by its value; several of a select that
--- takes several.
---@param target integer|deskpilot.page_element as tab:click's
---@param option string|string[]
---@param how { input: "real"|"cdp"|nil }?
---@return boolean? ok, deskpilot.error? err code "not_found": it has no such option; "stale", "refused"
function methods.select(self, target, option, how)
  how = options.check(how, { input = "string" }, "tab:select")
  local wanted = type(option) == "table" and option or { option }
  for _, each in ipairs(wanted) do assert(type(each) == "string", "tab:select wants the option's name") end
  assert(#wanted > 0, "tab:select wants an option")
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local told, why = ask(self, found, "chooseOption", { ref = found.ref, wanted = wanted })
  if not told then return nil, why end
  if told.other then return choose_by_clicks(self, found, wanted[1], told, how) end
  if told.disabled then return refused(found, "is disabled") end
  if told.absent then
    return errors.fail("not_found", "%s", ("%s offers no '%s'%s"):format(found.label,
      text.cut(tostring(told.absent), 80), offers(told.options)))
  end
  if told.barred then return refused(found, "has the option '%s', but it is disabled", tostring(told.barred)) end
  if told.single then return refused(found, "takes one option only") end
  if told.same then return true end
  return refused(found, "did not keep the choice; it has '%s'", tostring(told.value))
end

-- --- files ----------------------------------------------------------------------------------------------

-- The page's own words for paths that are there.
local function existing(paths)
  local list = {}
  for i, path in ipairs(type(paths) == "table" and paths or { paths }) do
    assert(type(path) == "string", "tab:upload wants paths")
    local absolute = files.absolute(path)
    local stat = require("luv").fs_stat(absolute)
    if not stat then return errors.fail("not_found", "there is no file %s", absolute) end
    if stat.type ~= "file" then return errors.fail("invalid", "%s is no file", absolute) end
    list[i] = files.native(absolute)
  end
  assert(#list > 0, "tab:upload wants a path")
  return list
end

-- The chooser as the browser knows it.
local function held_object(tab)
  local told, err = tab:call("Runtime.evaluate", { expression = "deskpilot.held()", contextId = tab.world,
    objectGroup = "deskpilot" })
  if not told then return nil, err end
  local id = type(told.result) == "table" and told.result.objectId
  if type(id) == "string" then return { objectId = id } end
  return errors.fail("protocol", "the browser has no name for the chooser of files")
end

-- Clicks what opens a chooser of files, which is kept from opening. Returns which one it would have been for.
local function opened_chooser(tab, target, how)
  local opened, told = nil, signal.new()
  local session = tab.session
  local off = session:on("Page.fileChooserOpened", function(params)
    opened = opened or params
    told:tell()
  end)
  local ok, err = tab:call("Page.setInterceptFileChooserDialog", { enabled = true })
  local guard <close> = setmetatable({}, { __close = function()
    off()
    session:begin("Page.setInterceptFileChooserDialog", { enabled = false })
  end })
  assert(guard)
  if not ok then return nil, err end
  local clicked, why = pointer.click(tab, target, { input = how.input })
  if not clicked then return nil, why end
  told:wait_until(tab.browser.desk.timing.element_action, function() return opened end)
  if not opened then return refused(target, "was clicked and asked for no file") end
  return { backendNodeId = math.tointeger(opened.backendNodeId), multiple = opened.mode == "selectMultiple" }
end

--- Gives files to a chooser of files, or to the one that a button opens, which does not come up.
---@param target integer|deskpilot.page_element as tab:click's
---@param paths string|string[]
---@param how { input: "real"|"cdp"|nil }?
---@return boolean? ok, deskpilot.error? err code "not_found": no such file; "refused": it takes one file only
function methods.upload(self, target, paths, how)
  how = options.check(how, { input = "string" }, "tab:upload")
  local list, missing = existing(paths)
  if not list then return nil, missing end
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local told, why = ask(self, found, "chooserOf", { ref = found.ref })
  if not told then return nil, why end
  local chooser
  if told.chooser then
    if told.disabled then return refused(found, "is disabled") end
    chooser, err = held_object(self)
  else
    chooser, err = opened_chooser(self, found, how)
  end
  if not chooser then return nil, err end
  if #list > 1 and not (told.multiple or chooser.multiple) then return refused(found, "takes one file only") end
  local ok, failure = self:call("DOM.setFileInputFiles", { files = list, objectId = chooser.objectId,
    backendNodeId = chooser.backendNodeId })
  if not ok then return nil, failure end
  return true
end

--- Clicks on what a file is fetched by, and waits until the file is there.
---@param target integer|deskpilot.page_element as tab:click's
---@param how { input: "real"|"cdp"|nil, timeout: number? }? seconds; timing.download
---@return string? path, deskpilot.error|deskpilot.download? err
function methods.download(self, target, how)
  how = options.check(how, { input = "string", timeout = "number" }, "tab:download")
  local found, err = page.target(self, target)
  if not found then return nil, err end
  return self:wait_for_download { timeout = how.timeout, action = function()
    local ok, why = pointer.click(self, found, { input = how.input })
    if not ok then return nil, why end
    return true
  end }
end

return acts
