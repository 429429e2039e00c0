--- A page's dialogs: alert, confirm, prompt, and the question whether to leave it. An open dialog blocks the page.
local errors = require "deskpilot.base.errors"

local dialogs = { methods = {} }
---@class deskpilot.tab
local Tab = dialogs.methods

---@class deskpilot.page_dialog
---@field type "alert"|"confirm"|"prompt"|"beforeunload"
---@field message string
---@field default string? a prompt's initial text
---@field url string of the page that shows it

--- The dialog that is open on the page. Does not wait.
---@return deskpilot.page_dialog? dialog nil where there is none
function Tab:dialog()
  return self.open_dialog
end

local function answer(self, accept, content)
  local dialog = self.open_dialog
  if not dialog then return errors.fail("not_found", "no dialog is open on the page") end
  local input = self.browser.desk.input
  local ok, err = input.may_enter(content or "")
  if ok then ok, err = input.may_act { act = "page", what = accept and "accept" or "dismiss", tab = self } end
  if not ok then return nil, err end
  ok, err = self:call("Page.handleJavaScriptDialog", { accept = accept, promptText = content })
  -- If the dialog has closed meanwhile, its user has answered it: no error.
  if not ok and self.open_dialog == dialog then return nil, err end
  local seconds = self.browser.desk.timing.browser_answer
  self.changed:wait_until(seconds, function() return self.open_dialog ~= dialog end)
  -- The page's own answer, that it stays, reaches the browser later than the answer to our call. The browser would take
  -- it for the answer to the next navigation, so a round trip through the page waits for it.
  if dialog.type == "beforeunload" and not accept then self:call("Runtime.evaluate", { expression = "1" }, seconds) end
  return true
end

--- Answers the open dialog with OK.
---@param content string? the text for a prompt
---@return boolean? ok, deskpilot.error? err code "not_found": no dialog is open
function Tab:accept_dialog(content)
  return answer(self, true, content)
end

--- Answers the open dialog with Cancel.
---@return boolean? ok, deskpilot.error? err code "not_found": no dialog is open
function Tab:dismiss_dialog()
  return answer(self, false)
end

return dialogs
