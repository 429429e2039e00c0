--- A page's dialogs (alert, confirm, prompt, and the question whether to leave it), which hold the page up.
local errors = require "deskpilot.base.errors"

local dialogs = { methods = {} }
---@class deskpilot.tab
local Tab = dialogs.methods

---@class deskpilot.page_dialog
---@field type "alert"|"confirm"|"prompt"|"beforeunload"
---@field message string
---@field default string? what a prompt has in its field
---@field url string of the page that shows it

--- The dialog that is open on the page. Does not wait.
---@return deskpilot.page_dialog? dialog nil where there is none
function Tab:dialog()
  return self.open_dialog
end

local function answer(self, accept, words)
  local dialog = self.open_dialog
  if not dialog then return errors.fail("not_found", "no dialog is open on the page") end
  local ok, err = self:call("Page.handleJavaScriptDialog", { accept = accept, promptText = words })
  -- Its user was quicker.
  if not ok and self.open_dialog == dialog then return nil, err end
  local seconds = self.browser.desk.timing.browser_answer
  self.changed:wait_until(seconds, function() return self.open_dialog ~= dialog end)
  -- The page says only now that it stays. The browser would take that for its answer to whatever comes next.
  if dialog.type == "beforeunload" and not accept then self:call("Runtime.evaluate", { expression = "1" }, seconds) end
  return true
end

--- Answers it with OK.
---@param words string? for a prompt
---@return boolean? ok, deskpilot.error? err code "not_found": none is open
function Tab:accept_dialog(words)
  return answer(self, true, words)
end

--- Answers it with Cancel.
---@return boolean? ok, deskpilot.error? err code "not_found": none is open
function Tab:dismiss_dialog()
  return answer(self, false)
end

return dialogs
