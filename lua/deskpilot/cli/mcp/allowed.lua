--- `--allow PATTERN`: the only applications and windows that clients may act on, by the names of applications
--- (safety.apps has the same) or the titles of windows. It is asked where every key, text and act goes to the desktop.
local act_subject = require "deskpilot.agent.act_subject"
local glob = require "deskpilot.base.glob"
local text = require "deskpilot.base.text"

local allowed = {}

local function fits(patterns, names)
  return names ~= nil and glob.first(patterns, names) ~= nil
end

-- Why an act is not done; nil where it is.
local function refusal(run, patterns, act)
  if not run.acting then return nil end
  local window = act.window or act.tab and act.tab:window()
  local about = act
  if window and not act.window then
    about = { act = "focus", window = window }
  elseif act.act == "navigate" and not window then
    return nil -- of a browser whose start was allowed
  end
  local subject = act_subject.of(run, about, function(names) return fits(patterns, names) end)
  if fits(patterns, subject.names) then return nil end
  if subject.window and fits(patterns, { text.one_line(subject.window.title) }) then return nil end
  local name = subject.names and subject.names[1] or act.act
  return ("%s is not among what this server may act on (--allow %s)"):format(text.cut(text.one_line(name), 60),
    table.concat(patterns, ", "))
end

--- A listener of the run that keeps clients to these.
---@param patterns string[]
---@return deskpilot.listener
function allowed.listener(patterns)
  return { run_start = function(run)
    local function tell(why)
      if why then run:emit("guard", { name = "allow", message = why }) end
      return why
    end
    local filter = run.desk.input.add_filter {
      act = function(act) return tell(refusal(run, patterns, act)) end,
      keys = function(down) return tell(refusal(run, patterns, { act = "keys", keys = down })) end,
      text = function(words, _, entered)
        return not entered and tell(refusal(run, patterns, { act = "text", words = words })) or nil
      end,
    }
    run:on_close(function() filter.remove() end)
  end }
end

return allowed
