-- Say here what the mission is for. `deskpilot run example` runs it; docs/missions.md has all that may stand here.

---@type deskpilot.mission
return {
  -- A script needs no model. For an agent `task` stands in place of `run`: what is to be done, in words. The model
  -- `literal` can follow it too where each step is a line and what is clicked or typed stands in quotes:
  --   task = [[
  --   1. Click "File"
  --   2. Type "hello"
  --   ]],
  run = function(m)
    local shot = assert(m.desk.screen.shot())
    m:note(("the screen is %d x %d pixels"):format(shot.width, shot.height))
    -- m.desk.keyboard.type "hello", m.desk.wait_for_element { role = "button", name = "OK" }, ...
  end,

  -- Where: the present desktop, or a private one (Linux) with the programs that it needs.
  -- desktop = { kind = "private", size = { 1280, 800 }, apps = { { "mousepad" } } },

  -- What it may spend. Every other key of the configuration may stand here in the same way.
  limits = { seconds = 300 },

  -- The world decides whether it has succeeded, not an agent's word: true; or false and why; or one of m.checks.
  verify = function(m)
    return m.desk.screen.size() ~= nil, "the screen has no size"
  end,

  -- Before each action of an agent; nil lets it be done, false and a reason does not. There are before_run, after_run
  -- and after_action, too.
  -- before_action = function(m, action) if action.tool == "press_key" then return false, "no keys, please" end end,
}
