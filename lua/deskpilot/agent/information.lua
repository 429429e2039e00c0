--- What the tools of the group "information" share. Each only looks, says why it was asked, and is a file of tools/: a
--- policy that offers the group offers a new one from then on.
local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local observation = require "deskpilot.agent.observation"
local page_tools = require "deskpilot.agent.page_tools"
local text = require "deskpilot.base.text"
local token_count = require "deskpilot.agent.token_count"
local viewpoint = require "deskpilot.agent.viewpoint"

local information = {}

-- Without a description: eight tools have it, and the name says what it is.
local why = { name = "justification", optional = true, type = "string", maxLength = 200 }

--- A tool of the group. fresh: its answer may be another while the screen is the same; picture: what it gives is a
--- picture, of which a policy may allow more than of look-ups.
---@param how { api: integer, name: string, description: string, properties: table[]?, fresh: boolean?,
---  picture: boolean?, run: fun(ctx: deskpilot.tool_context, args: table): any, any }
---@return deskpilot.tool
function information.tool(how)
  local properties = { why, table.unpack(how.properties or {}) }
  return { api = how.api, name = how.name, group = "information", description = how.description, acts = false,
    looks = true, anywhere = true, fresh = how.fresh, picture = how.picture, parameters = fields.object(properties),
    run = how.run }
end

--- The latest observation.
---@param ctx deskpilot.tool_context
---@return deskpilot.observation? seen, deskpilot.error? err
function information.seen(ctx)
  if ctx.observation then return ctx.observation end
  return errors.fail("unavailable", "nothing has been observed yet")
end

--- An observation in words, with places as the persona that asks counts them.
---@param ctx deskpilot.tool_context
---@param seen deskpilot.observation
---@return string
function information.words(ctx, seen)
  return observation.describe(seen, true, viewpoint.space(ctx.run, ctx.persona))
end

--- A picture as an answer, with the tokens that it costs by the rule of the model's profile.
---@param ctx deskpilot.tool_context
---@param shot deskpilot.shot
---@param what string
---@return table result
function information.picture(ctx, shot, what)
  local profile = viewpoint.profile(ctx.run, ctx.persona)
  local width, height = viewpoint.size(ctx.config, profile)(shot.width, shot.height)
  local tokens = token_count.of_picture(width, height, profile)
  return { text = ("a picture of %s, %dx%d pixels, about %d tokens"):format(what, width, height, tokens),
    data = { tokens = tokens }, pictures = { shot } }
end

local most_text = 400000 -- characters of a page that are looked through

-- The rest of the line that has these words; where they end it, the next line.
local function rest_of(lines, after)
  local wanted = after:lower()
  for i, line in ipairs(lines) do
    local _, last = line:lower():find(wanted, 1, true)
    if last then
      local rest = text.trim(line:sub(last + 1))
      return rest ~= "" and rest or text.trim(lines[i + 1] or "")
    end
  end
end

local function lines_of(words)
  local list = {}
  for line in words:gmatch "[^\r\n]+" do
    if line:find "%S" then list[#list + 1] = text.one_line(line) end
  end
  return list
end

local function after_on_page(ctx, after)
  local tab = page_tools.tab(ctx)
  local page = tab and tab:observe { max_elements = 0, max_text = most_text, keep = false }
  return page and rest_of(lines_of(page.text), after)
end

-- The elements' texts one after the other, as they stand in the tree.
local function after_on_desktop(ctx, after)
  local lines = {}
  for _, element in ipairs(ctx.desk.elements.list {} or {}) do
    for _, words in ipairs { element.name or "", element.text or "" } do
      for _, line in ipairs(lines_of(words)) do
        if line ~= lines[#lines] then lines[#lines + 1] = line end
      end
    end
  end
  return rest_of(lines, after)
end

--- What stands behind some words: on their line, or on the next one. The page in front is read first, then the elements
--- of the desktop.
---@param ctx deskpilot.tool_context
---@param after string
---@return string? found, deskpilot.error? err code "not_found"
function information.text_after(ctx, after)
  local found = after_on_page(ctx, after) or after_on_desktop(ctx, after)
  if found and found ~= "" then return found end
  return errors.fail("not_found", "nothing on the screen says %q with something behind it", text.cut(after, 80))
end

return information
