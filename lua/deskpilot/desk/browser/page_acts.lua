--- Fills in forms on a page: types into fields, chooses options, uploads and downloads files.
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

local MOST_TYPED = 100000 -- characters per call

local function refused(target, format, ...)
  return errors.fail("refused", "%s", target.label .. " " .. format:format(...))
end

-- Calls a function of the page's script about a target. A target that is stale is an error.
local function ask(tab, target, name, argument)
  local answer, err = page.ask(tab, name, argument, tab.browser.desk.timing.page_act)
  if not answer then return nil, err end
  local failure = page.failure(target, answer)
  if failure then return nil, failure end
  return answer
end

-- Whether something may be done with an element, or with the page where none is given.
local function may(tab, what, answer)
  return tab.browser.desk.input.may_act { act = "page", what = what, tab = tab,
    element = answer and page.told(answer) or nil }
end

-- --- typing ---------------------------------------------------------------------------------------------

local valued = { date = "2026-12-31", month = "2026-12", week = "2026-W52", time = "18:30",
  ["datetime-local"] = "2026-12-31T18:30", color = "#ff8800", range = "50" }

-- Sets fields that are set by value and not by key presses.
local function set_value(tab, target, aimed, value)
  local permitted, forbidden = tab.browser.desk.input.may_enter(value)
  if permitted then permitted, forbidden = may(tab, "type", aimed) end
  if not permitted then return nil, forbidden end
  local answer, err = ask(tab, target, "setValue", { ref = target.ref, value = value })
  if not answer then return nil, err end
  if answer.accepted then return { value = answer.value, autocomplete = false } end
  return refused(target, "does not accept that value; it wants one like %s", valued[aimed.type])
end

local function secret(answer)
  return answer.secret == true
end

-- Checks what the field holds after typing.
local function check(tab, target, content, replaced)
  local answer, err = page.ask_again(tab, "holds", { typed = content, replaced = replaced,
    seconds = tab.browser.desk.timing.type_verify }, tab.browser.desk.timing.page_act)
  if not answer then
    if tab:dialog() or tab.closed then return { autocomplete = false } end
    return nil, err
  end
  if answer.left or answer.lost or answer.gone then return { autocomplete = false } end
  if not answer.kept then
    return refused(target, "does not hold the text that was typed%s", secret(answer) and "" or not answer.changed
      and "; it is unchanged" or (", but '%s'"):format(text.cut(tostring(answer.value), 100)))
  end
  return { value = not secret(answer) and tostring(answer.value) or nil, autocomplete = answer.autocomplete == true }
end

-- Puts the caret at the end of the field's content, which is so long, or selects all of it if it is to be replaced.
local function prepare(tab, target, hands, aimed, length, replaced)
  if length == 0 and not replaced then return true end
  local ok, err = hands.key(tab, replaced and "all" or aimed.many and "text_end" or "line_end")
  if not ok then return nil, err end
  if not replaced then return true end
  return ask(tab, target, "selected", {})
end

-- Types the text; line breaks at its end are typed after the field has been checked.
local function put(tab, target, hands, content, replaced)
  local body = text.without_end(content, "\n")
  local enters = content:sub(#body + 1)
  if body == "" and replaced then
    local ok, err = hands.key(tab, "delete")
    if not ok then return nil, err end
  elseif body ~= "" then
    local ok, err = hands.type(tab, body)
    if not ok then return nil, err end
  end
  local result = { autocomplete = false }
  if not body:find("[\t\n]") then
    local answer, err = check(tab, target, body, replaced)
    if not answer then return nil, err end
    result = answer
  end
  if enters ~= "" then
    local ok, why = hands.type(tab, enters)
    if not ok and not tab:dialog() then return nil, why end
  end
  return result
end

-- Until the end of a block what is typed goes into the page, which has said that it has the keyboard. A tab may take
-- that out of the page.
local function in_page(tab, content)
  tab.typed_into = not content:find("\t", 1, true)
  return setmetatable({}, { __close = function() tab.typed_into = nil end })
end

local function write(tab, target, content, how, replaced)
  if (utf8.len(content) or #content) > MOST_TYPED then
    return errors.fail("invalid", "at most %d characters can be typed in one call; split the text", MOST_TYPED)
  end
  local hands = hands_of(how.input)
  local answer, err = pointer.aim(tab, target, how)
  if not answer then return nil, err end
  local states = type(answer.states) == "table" and answer.states or {}
  if states.disabled then return refused(target, "is disabled") end
  if valued[answer.type] then return set_value(tab, target, answer, content) end
  if not states.editable then return refused(target, "is not a field that can be typed into") end
  local aimed, more = pointer.click(tab, target, { input = how.input, focus = tab.browser.desk.timing.focus }, answer)
  if not aimed then return nil, more end
  if more.err then return nil, more.err end
  if not more.focused then return refused(target, "was clicked but did not get the keyboard focus") end
  local over <close> = in_page(tab, content)
  assert(over)
  local ok
  ok, err = prepare(tab, target, hands, aimed, more.length, replaced)
  if not ok then return nil, err end
  return put(tab, target, hands, content, replaced)
end

local type_options = { input = "string", replace = "boolean" }

--- Types text into a field: clicks it, types at the end of its content (or replaces the content), and checks what the
--- field holds afterwards. Line breaks at the end of the text press Enter after that check. Fields for dates, times and
--- colours are set to the text as their value, such as 2026-12-31.
---@param target integer|deskpilot.page_element as for tab:click
---@param content string
---@param how { input: "real"|"cdp"|nil, replace: boolean? }? replace: instead of adding to the content
---@return { value: string?, autocomplete: boolean }? typed value: the field's content (nil for a secret field);
---  autocomplete: whether it offers suggestions, one of which may have to be chosen
---@return deskpilot.error? err code "stale", "refused"
function methods.type(self, target, content, how)
  how = options.check(how, type_options, "tab:type")
  local found, err = page.target(self, target)
  if not found then return nil, err end
  return write(self, found, content, how, how.replace == true)
end

--- Empties a field.
---@param target integer|deskpilot.page_element as for tab:click
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

local function describe_choices(list)
  local names = {}
  for i, name in ipairs(type(list) == "table" and list or {}) do
    if i > 20 then break end
    names[i] = "'" .. text.cut(tostring(name), 60) .. "'"
  end
  return #names > 0 and "; there are " .. table.concat(names, ", ") or ""
end

-- Chooses from a list that is not a <select>: a click opens it, another click takes the choice.
local function choose_by_clicks(tab, target, wanted, answer, how)
  local timing = tab.browser.desk.timing
  local open = type(answer.states) == "table" and answer.states.expanded
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
      describe_choices(choice.options)))
  end
  local chosen = { ref = { handle = choice.handle }, label = ("the choice '%s'"):format(text.cut(wanted, 80)) }
  local ok, why = pointer.click(tab, chosen, { input = how.input })
  if not ok then return nil, why end
  return true
end

--- Chooses an option of a select or of a list that the page has made, by its text or its value.
---@param target integer|deskpilot.page_element as for tab:click
---@param option string|string[] several only for a select that permits it
---@param how { input: "real"|"cdp"|nil }?
---@return boolean? ok, deskpilot.error? err code "not_found": it has no such option; "stale", "refused"
function methods.select(self, target, option, how)
  how = options.check(how, { input = "string" }, "tab:select")
  local wanted = type(option) == "table" and option or { option }
  for _, each in ipairs(wanted) do
    if type(each) ~= "string" then errors.mistake "tab:select wants the option's name" end
  end
  if #wanted == 0 then errors.mistake "tab:select wants an option" end
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local permitted, forbidden = may(self, "select")
  if not permitted then return nil, forbidden end
  local answer, why = ask(self, found, "chooseOption", { ref = found.ref, wanted = wanted })
  if not answer then return nil, why end
  if answer.other then return choose_by_clicks(self, found, wanted[1], answer, how) end
  if answer.disabled then return refused(found, "is disabled") end
  if answer.absent then
    return errors.fail("not_found", "%s", ("%s offers no '%s'%s"):format(found.label,
      text.cut(tostring(answer.absent), 80), describe_choices(answer.options)))
  end
  if answer.barred then return refused(found, "has the option '%s', but it is disabled", tostring(answer.barred)) end
  if answer.single then return refused(found, "permits one option only") end
  if answer.same then return true end
  return refused(found, "did not keep the choice; its value is '%s'", tostring(answer.value))
end

-- --- files ----------------------------------------------------------------------------------------------

-- The paths in absolute form; an error if one is not an existing file.
local function existing(paths)
  local list = {}
  for i, path in ipairs(type(paths) == "table" and paths or { paths }) do
    if type(path) ~= "string" then errors.mistake "tab:upload wants paths" end
    local absolute = files.absolute(path)
    local stat = require("luv").fs_stat(absolute)
    if not stat then return errors.fail("not_found", "there is no file %s", absolute) end
    if stat.type ~= "file" then return errors.fail("invalid", "%s is not a file", absolute) end
    list[i] = files.native(absolute)
  end
  if #list == 0 then errors.mistake "tab:upload wants a path" end
  return list
end

-- The browser's object id of the file input that the script holds.
local function held_object(tab)
  local answer, err = tab:call("Runtime.evaluate", { expression = "deskpilot.held()", contextId = tab.world,
    objectGroup = "deskpilot" })
  if not answer then return nil, err end
  local id = type(answer.result) == "table" and answer.result.objectId
  if type(id) == "string" then return { objectId = id } end
  return errors.fail("protocol", "the browser gave no object id for the file input")
end

-- Clicks an element that opens a file chooser, and prevents the chooser from opening. Returns the file input that it
-- was for.
local function opened_chooser(tab, target, how)
  local opened, changed = nil, signal.new()
  local session = tab.session
  local off = session:on("Page.fileChooserOpened", function(params)
    opened = opened or params
    changed:notify()
  end)
  local ok, err = tab:call("Page.setInterceptFileChooserDialog", { enabled = true })
  tab.uploading = true
  local guard <close> = setmetatable({}, { __close = function()
    off()
    tab.uploading = nil
    session:begin("Page.setInterceptFileChooserDialog", { enabled = tab.without_chooser == session })
  end })
  assert(guard)
  if not ok then return nil, err end
  local clicked, why = pointer.click(tab, target, { input = how.input })
  if not clicked then return nil, why end
  changed:wait_until(tab.browser.desk.timing.element_action, function() return opened end)
  if not opened then return refused(target, "was clicked but opened no file chooser") end
  return { backendNodeId = math.tointeger(opened.backendNodeId), multiple = opened.mode == "selectMultiple" }
end

--- Uploads files: sets them in a file input, or in the one whose chooser a button would open; the chooser does not
--- appear.
---@param target integer|deskpilot.page_element as for tab:click
---@param paths string|string[]
---@param how { input: "real"|"cdp"|nil }?
---@return boolean? ok, deskpilot.error? err code "not_found": no such file; "refused": it permits one file only
function methods.upload(self, target, paths, how)
  how = options.check(how, { input = "string" }, "tab:upload")
  local list, missing = existing(paths)
  if not list then return nil, missing end
  local permitted, forbidden = self.browser.desk.input.may_act { act = "upload", tab = self, paths = list }
  if not permitted then return nil, forbidden end
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local answer, why = ask(self, found, "chooserOf", { ref = found.ref })
  if not answer then return nil, why end
  local chooser
  if answer.chooser then
    if answer.disabled then return refused(found, "is disabled") end
    chooser, err = held_object(self)
  else
    chooser, err = opened_chooser(self, found, how)
  end
  if not chooser then return nil, err end
  if #list > 1 and not (answer.multiple or chooser.multiple) then return refused(found, "permits one file only") end
  local ok, failure = self:call("DOM.setFileInputFiles", { files = list, objectId = chooser.objectId,
    backendNodeId = chooser.backendNodeId })
  if not ok then return nil, failure end
  return true
end

--- Clicks an element that starts a download, and waits until the file is complete.
---@param target integer|deskpilot.page_element as for tab:click
---@param how { input: "real"|"cdp"|nil, timeout: number? }? timeout: seconds; default timing.download
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
