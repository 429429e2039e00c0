--- What the tools for pages share: the tab in front, and the element that an index of the latest observation means.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local alike = require "deskpilot.agent.alike"
local fields = require "deskpilot.agent.fields"
local page_format = require "deskpilot.agent.page_format"

-- What few runs need is loaded by those that do.
local function allowed_files() return require "deskpilot.agent.allowed_files" end

local page_tools = {}

--- The parameter `index`.
page_tools.index = { name = "index", type = "integer", minimum = 0, maximum = 100000,
  description = "The number in brackets before the element in PAGE ELEMENTS." }

--- The browser to use: the one in front, else the newest.
---@param ctx deskpilot.tool_context
---@return deskpilot.browser? browser
function page_tools.browser(ctx)
  local tab = ctx.run.observation and ctx.run.observation.tab
  return tab and tab.browser or ctx.desk.browser.current()
end

--- The tab that is in sight.
---@param ctx deskpilot.tool_context
---@return deskpilot.tab? tab, deskpilot.error? err
function page_tools.tab(ctx)
  local browser = page_tools.browser(ctx)
  if browser then return browser:tab() end
  return errors.fail("unavailable", "no browser is open that can be worked with; browser_open opens one")
end

--- The element of the latest observation with that index, and the tab that it was seen in.
---@param ctx deskpilot.tool_context
---@param index integer
---@return deskpilot.page_element? element, deskpilot.tab|deskpilot.error tab
function page_tools.element(ctx, index)
  local seen = ctx.run.observation
  if not (seen and seen.page) then
    return errors.fail("unavailable", "no page is in front, so there is no element [%d]", index)
  end
  for _, element in ipairs(seen.page.elements) do
    if element.index == index then
      ctx.element = alike.of(seen.page.elements, element)
      return element, seen.tab
    end
  end
  for _, element in ipairs(seen.elements or {}) do
    if element.number == index then
      return errors.fail("not_found", "[%d] is no element of the page, but one of the desktop: use it as the `element` "
        .. "of the desktop's tools, such as click_element", index)
    end
  end
  return errors.fail("not_found", "the page has no element [%d] in PAGE ELEMENTS: %d are listed", index,
    #seen.page.elements)
end

--- The check of a tool that takes an index: it is one of the latest observation's.
---@param ctx deskpilot.tool_context
---@param args { index: integer? }
---@return boolean? ok, deskpilot.error? err
function page_tools.check_index(ctx, args)
  if args.index == nil then return true end
  local element, err = page_tools.element(ctx, args.index)
  if element then return true end
  return nil, err
end

--- The address that an agent may open: one of the web, or that of a file of this machine that the mission is about, as
--- it really is.
---@param ctx deskpilot.tool_context
---@param url string
---@return string? url, deskpilot.error? err
function page_tools.address(ctx, url)
  local scheme = url:match("^%s*(%a[%w+.-]*):")
  scheme = scheme and scheme:lower()
  if scheme == "http" or scheme == "https" then return text.trim(url) end
  if scheme ~= "file" then
    return errors.fail("refused", "only http and https addresses can be opened, and not %s", text.cut(url, 200))
  end
  return allowed_files().address(ctx.run, url)
end

--- A tool that acts on one element.
---@param how { api: integer?, section: string?, options: table?, name: string, description: string,
---  properties: table[]?, repeatable: boolean?, lasting: boolean|(fun(args: table): boolean)|nil,
---  check: (fun(ctx: deskpilot.tool_context, args: table): boolean?, deskpilot.error?)?,
---  act: (fun(ctx: deskpilot.tool_context, tab: deskpilot.tab, element: deskpilot.page_element, args: table):
---  any, any),
---  done: (fun(element: string, args: table, got: any): string) } done: what was done, in words
---@return deskpilot.tool
function page_tools.element_tool(how)
  local properties = { page_tools.index }
  table.move(how.properties or {}, 1, #(how.properties or {}), 2, properties)
  return fields.built(how, {
    name = how.name, description = how.description, repeatable = how.repeatable, lasting = how.lasting,
    parameters = fields.object(properties),
    check = function(ctx, args)
      local ok, err = page_tools.check_index(ctx, args)
      if not ok or not how.check then return ok, err end
      return how.check(ctx, args)
    end,
    run = function(ctx, args)
      local element, tab = page_tools.element(ctx, args.index)
      if not element then return nil, tab end
      local got, err = how.act(ctx, tab, element, args)
      if not got then return nil, err end
      return how.done(page_format.element_name(element), args, got)
    end,
  })
end

--- A tool that makes the tab load another page.
---@param how { api: integer?, section: string?, options: table?, name: string, description: string, done: string,
---  act: (fun(tab: deskpilot.tab): deskpilot.visit?, deskpilot.error?) } done: the past tense
---@return deskpilot.tool
function page_tools.visit_tool(how)
  return fields.built(how, {
    name = how.name, description = how.description, repeatable = false,
    parameters = fields.object {},
    run = function(ctx)
      local tab, err = page_tools.tab(ctx)
      if not tab then return nil, err end
      local visit, failure = how.act(tab)
      if not visit then return nil, failure end
      return ("%s: %s"):format(how.done, page_tools.describe_visit(visit))
    end,
  })
end

--- One line about where a visit has led: title, URL, an HTTP status of 400 or more, a download.
---@param visit deskpilot.visit
---@return string
function page_tools.describe_visit(visit)
  local words = page_format.title_and_url(visit.title, visit.url)
  if visit.status and visit.status >= 400 then words = words .. (" (the server said %d)"):format(visit.status) end
  if visit.download then words = words .. " (it began a download)" end
  return words
end

return page_tools
