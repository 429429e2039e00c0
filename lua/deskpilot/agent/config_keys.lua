--- The options of a run: the loop, what is observed, what is remembered, where a run is kept.
local approval_defaults = require "deskpilot.agent.approval_defaults"
local persona = require "deskpilot.agent.persona"

-- A time of pointer, keys or typing: without a default here, as the desktop library knows it.
local function moment(about)
  return { type = "number", min = 0, max = 10,
    about = about .. "; unless it is set, as the profile of the active application or desk.timing has it" }
end

local timing = {
  turn_delay = { type = "number", default = 0, min = 0, about = "seconds to rest between turns" },
  settle_quiet = { type = "number", default = 0.15, min = 0, about = "seconds without a change that count as "
    .. "settled; a known application may have its own, unless it is set" },
  settle_floor = { type = "number", default = 0, min = 0, about = "least seconds to wait after an action" },
  settle_cap = { type = "number", default = 2.5, min = 0,
    about = "seconds after which a changing screen is taken as it is; a known application may have its own, unless "
      .. "it is set" },
  settle_page = { type = "number", default = 10, min = 0,
    about = "seconds after which a page that is still loading is taken as it is" },
  pointer_rest = moment "seconds that the pointer rests on its target before a button goes down",
  click_hold = moment "seconds that a button stays down in a click",
  click_pause = moment "seconds of pause after a click",
  double_click = moment "seconds between the clicks of a double click",
  drag_step = moment "seconds between two moves of a drag",
  key_hold = moment "seconds that keys stay down in a press",
  key_pause = moment "seconds of pause after a key press",
  type_interval = moment "seconds between two characters that are typed",
}

-- What is allowed and denied of one kind, by patterns.
local function permission(kind, what, doing, check)
  return { section = "safety." .. kind, options = {
    allow = { type = "list", check = check, about = ("the only %s %s, by pattern"):format(what, doing) },
    deny = { type = "list", check = check,
      about = ("%s %s, by pattern"):format(what, (doing:gsub(" may ", " must not "))) },
  } }
end

-- A phase has the same; what it does not say is as for the whole run.
local of_phase = {}
for name, option in pairs(timing) do
  of_phase[name] = { type = option.type, min = option.min, max = option.max, about = option.about }
end
timing.phases = { type = "entries", fields = of_phase, about = "times for a phase of the policy, by its name or the "
  .. "words that its name begins with (EXECUTION for EXECUTION_SAVE)" }
timing.settle_by_cause = { type = "boolean", default = true, about = "whether on private desktops of Linux the "
  .. "screen counts as settled as soon as nothing that the action began is on its way any more, where that can be "
  .. "known; else it has to be quiet for settle_quiet" }
timing.verify = { type = "number", default = 3, min = 0,
  about = "seconds to wait for a mission's verify to become true" }

return {
  { options = {
    policy = { type = "string", default = "three_body", about = "how the agent thinks (a file in policies/)" },
    accept_claims = { type = "boolean", default = false, about = "whether the agent's word is enough where a mission "
      .. "has no verify: such a run ends as `claimed`, with exit status 0 instead of 1" },
    personas = { type = "entries", about = "what one persona of a policy is given, by its name; the others ask "
      .. "`model.name`, and spend what their policy says", fields = {
      model = { type = "string", about = "the model that this persona asks" },
      endpoint = { type = "string",
        about = "the server that this persona asks; another server is not sent the key of `model.endpoint`'s" },
      provider = { type = "string", about = "that server by its name, as `model.provider`" },
      wire = { type = "string", choices = { "chat", "responses", "anthropic", "gemini" },
        about = "the protocol that it speaks, as `model.wire`" },
      api_key_file = { type = "secret_file", about = "file whose first line is the key for it" },
      temperature = persona.spending.temperature,
      max_tokens = persona.spending.max_tokens,
      calls = persona.limits.calls, tokens = persona.limits.tokens, input_tokens = persona.limits.input_tokens,
      output_tokens = persona.limits.output_tokens, model_seconds = persona.limits.model_seconds,
      cost = persona.limits.cost,
    } },
  } },
  { section = "timing", options = timing },
  { section = "retry", options = {
    actions = { type = "integer", default = 0, min = 0, max = 10, about = "times that a failed action is done again, "
      .. "where its failure may pass, doing it twice can do no harm, and the screen has not changed since" },
    delay = { type = "number", default = 0.5, min = 0, max = 60, about = "seconds before the first of these times" },
    factor = { type = "number", default = 2, min = 1, max = 10,
      about = "how much longer the pause before each further time is (1: always the same)" },
  } },
  { section = "desktop", options = {
    reconnect = { type = "number", default = 30, min = 0, max = 3600,
      about = "seconds that a lost desktop, or the window of `desktop.window`, is waited for (0: not at all)" },
    window = { type = "string", default = "", about = "the window that the work is done in: a part of its title, its "
      .. "class, or its program's path; the run waits for it before each look (empty: any)" },
  } },
  { section = "trajectory", options = {
    save_every = { type = "integer", default = 10, min = 0, about = "steps after which `trajectory.json` is saved "
      .. "while the run goes on (0: only at its end)" },
    pictures = { type = "string", default = "files", choices = { "files", "embedded" }, about = "the screenshots "
      .. "of `trajectory.json`: names of files beside it, or base64 in it once the run is over" },
  } },
  { section = "limits", options = {
    goal_depth = { type = "integer", default = 8, min = 1, max = 50,
      about = "goals that may be within each other, the mission's own counted (`m:achieve`)" },
    goals = { type = "integer", default = 200, min = 1, about = "goals that may be begun within one run" },
  } },
  { section = "screen", options = {
    image_width = { type = "integer", default = 1536, min = 64, max = 8192,
      about = "widest picture that the model is sent" },
    image_height = { type = "integer", default = 864, min = 64, max = 8192,
      about = "highest picture that the model is sent" },
    image_format = { type = "string", default = "auto", choices = { "auto", "png", "jpeg" }, about = "format of the "
      .. "picture that the model is sent; auto: PNG, or JPEG where a PNG would be more than `screen.image_max_bytes`" },
    image_max_bytes = { type = "integer", default = 0, min = 0, about = "most bytes of that picture's file: of a "
      .. "lower quality, then smaller, until it fits (0: no cap)" },
    cursor = { type = "boolean", default = true, about = "draw the mouse pointer in screenshots" },
    trim = { type = "boolean", default = true, about = "leave out the edges of the picture that the model is sent "
      .. "where they are bare: of the one colour of its first pixel" },
  } },
  { section = "observe", options = {
    elements = { type = "boolean", default = true, about = "tell the model of the elements on screen" },
    max_elements = { type = "integer", default = 120, min = 0, max = 10000,
      about = "most elements told of in one turn" },
    page = { type = "boolean", default = true,
      about = "tell the model of the page that the active window shows, where a browser lets us in" },
    max_page_elements = { type = "integer", default = 200, min = 0, max = 10000,
      about = "most elements of a page told of in one turn" },
    max_page_text = { type = "integer", default = 8000, min = 0, max = 1000000,
      about = "how much of a page's text is told, in characters" },
    looks = { type = "integer", default = 10, min = 1, max = 100, about = "looks that a request holds: the first told "
      .. "whole, and of each after it what has changed, so that a server's cache keeps what was there; 1: all is told "
      .. "anew in every request" },
    pictures = { type = "string", default = "needed", choices = { "needed", "changes", "whole" }, about = "of those "
      .. "later looks: pictures of what has changed, needed: where the words about elements do not tell it all; whole: "
      .. "the whole screenshot at the end of each request, for models that point badly among several pictures, and "
      .. "those that take only one" },
  } },
  { section = "tools", options = {
    min_justification = { type = "integer", default = 0, min = 0, max = 2000,
      about = "shortest justification that an action may have, in characters (0: any)" },
    offer = { type = "list", default = {}, about = "groups and names of tools that personas are offered beside those "
      .. "that their policy offers" },
  } },
  { section = "limits", options = {
    lookups = { type = "integer", default = 3, min = 0, about = "look-ups of one turn: calls of tools that only read, "
      .. "which are answered before the action" },
  } },
  { section = "memory", options = {
    keep = { type = "string", default = "run", choices = { "run", "project", "application" },
      about = "how long what is learned is remembered: for the run alone, or also for later ones of the same project, "
        .. "or with the same application in front" },
    values = { type = "integer", default = 50, min = 0, max = 1000, about = "most named values of a run" },
    value_chars = { type = "integer", default = 4000, min = 1, max = 100000, about = "longest of them, in characters" },
    experiences = { type = "integer", default = 20, min = 0, max = 1000, about = "most experiences; the oldest go" },
    experience_chars = { type = "integer", default = 300, min = 1, max = 2000,
      about = "longest of them, in characters" },
  } },
  { section = "history", options = {
    kept = { type = "integer", default = 10, min = 1,
      about = "actions kept in the history; as many phase changes and errors beside them" },
    sent = { type = "integer", default = 8, min = 0, about = "latest entries of it sent to the model" },
  } },
  permission("apps", "applications", "that an agent may act on"),
  permission("sites", "sites", "that an agent may act on in a browser",
    require "deskpilot.agent.safety_lists".sites_problem),
  permission("tools", "tools", "that an agent may use"),
  { section = "safety", options = {
    approve = { type = "list", default = { "pay", "shell" }, choices = approval_defaults.names,
      about = "what an agent does only after a person's yes" },
    pay_buttons = { type = "list", default = approval_defaults.pay_buttons,
      about = "names of buttons and links that count as paying" },
    shells = { type = "list", default = approval_defaults.shells,
      about = "applications that count as a shell" },
    shell = { type = "string", default = "ask", choices = { "off", "ask", "allow-list" },
      about = "whether an agent may run commands by the tool run_command: not at all, each with a person's yes, or "
        .. "those of `safety.shell_allow` without asking; what a project says can only be stricter" },
    shell_allow = { type = "list", default = {}, about = "commands that may be run without asking, by pattern; a `*` "
      .. "fits no command that has signs of the shell's in it, such as ; | & > $" },
    files = { type = "list", default = {},
      about = "files and folders from which an agent may upload or open, beside the mission's `files`" },
    min_free_mb = { type = "number", default = 100, min = 0, about = "megabytes that a run leaves free on its disk" },
  } },
  { section = "replay", options = {
    seconds = { type = "number", default = 10, min = 0, about = "seconds that a step of an exported mission waits for "
      .. "what it acts on, and for what is to be true afterwards" },
    heal = { type = "boolean", default = false, about = "whether a step of an exported mission whose target is gone "
      .. "asks a model, for that step alone (or: --heal)" },
  } },
  { section = "runs", options = {
    dir = { type = "string", default = "runs", about = "folder that run directories are made in" },
    keep = { type = "keys", keys = { "keep_count", "keep_days", "keep_mb" },
      about = "how many runs are kept there, for how many days, and in how many megabytes" },
    keep_count = { type = "integer", default = 0, min = 0,
      about = "runs kept there: a new one removes the oldest beyond that (0: no limit)" },
    keep_days = { type = "number", default = 0, min = 0,
      about = "days after which a run is removed by a new one (0: no limit)" },
    keep_mb = { type = "number", default = 5000, min = 0,
      about = "megabytes that all runs there may have: a new one removes the oldest beyond that (0: no limit)" },
  } },
}
