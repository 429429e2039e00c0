--- What the arguments of public functions must be. A function with a signature refuses, before anything is done and by
--- its name, an argument of the wrong type and one too many, and takes a shorthand where that can mean one thing only:
---
---     api = signature.of("desk.mouse", { move = { "target", "options?" }, position = {} })(api)
---
--- A parameter is the name of a kind, with "?" if it may be left out, or a table of options as for option_table.check,
--- which may always be left out. More kinds are added by whoever knows them (signature.kind).
local errors = require "deskpilot.base.errors"
local option_table = require "deskpilot.base.option_table"
local text = require "deskpilot.base.text"

local signature = {}

---@class deskpilot.argument_kind
---@field what string such as "a text"
---@field fits fun(value: any): any whether a value can be taken as it is
---@field take (fun(given: table, i: integer))? puts what a shorthand means in its place in the list of arguments
---@field hint (fun(value: any): string?)? more words for a value that does not fit

local function is_plain_table(value)
  return type(value) == "table" and not errors.is(value)
end

---@type table<string, deskpilot.argument_kind>
local kinds = {
  any = { what = "a value", fits = function(value) return value ~= nil and not errors.is(value) end },
  text = { what = "a text", fits = function(value) return type(value) == "string" end },
  number = { what = "a number", fits = function(value) return type(value) == "number" and value == value end },
  whole = { what = "a whole number", fits = function(value)
    return type(value) == "number" and math.tointeger(value) ~= nil
  end },
  boolean = { what = "true or false", fits = function(value) return type(value) == "boolean" end },
  ["function"] = { what = "a function", fits = function(value) return type(value) == "function" end },
  table = { what = "a table", fits = is_plain_table },
  options = { what = "a table of options", fits = is_plain_table },
}

local origins = setmetatable({}, { __mode = "k" })

--- Makes a kind of argument known.
---@param name string
---@param kind deskpilot.argument_kind
function signature.kind(name, kind)
  kinds[name] = kind
end

--- Whether a value is of a kind.
---@param name string
---@param value any
---@return boolean
function signature.fits(name, value)
  return kinds[name].fits(value) and true or false
end

--- The function that is called by one with a signature; any other function itself.
---@param fn function
---@return function
function signature.origin(fn)
  while origins[fn] do fn = origins[fn] end
  return fn
end

--- Says that a function stands for another, whose documentation is its own.
---@param fn function
---@param original function
---@return function fn
function signature.stands_for(fn, original)
  origins[fn] = original
  return fn
end

-- --- words ------------------------------------------------------------------------------------------------

local places = { "first", "second", "third", "fourth", "fifth" }

local function shown(value)
  if type(value) == "string" then return ('the text "%s"'):format(text.cut(text.one_line(value), 40)) end
  if type(value) == "number" then return ("the number %.14g"):format(value) end
  return value == nil and "nothing" or "a " .. type(value)
end

local function wrong_type(who, i, kind, value)
  local hint = kind.hint and kind.hint(value)
  return errors.mistake("%s", ("%s wants %s as its %s argument, not %s%s"):format(who, kind.what, places[i],
    shown(value), hint and ": " .. hint or ""))
end

local function too_many(who, most, i, value)
  local count = most == 0 and "no arguments" or most == 1 and "one argument" or most .. " arguments"
  return errors.mistake("%s", ("%s takes %s; the %s is %s"):format(who, count, places[i] or "next", shown(value)))
end

-- --- checking ---------------------------------------------------------------------------------------------

local function parameter(who, given)
  if type(given) == "table" then
    return { optional = true, known = given, kind = kinds.options, fits = function(value)
      if value == nil then return true end
      option_table.check(value, given, who)
      return true
    end }
  end
  local name, optional = given:match("^([%w_]+)(%??)$")
  local kind = kinds[name] or error("there is no kind of argument " .. given)
  local fits = kind.fits
  if optional == "" then return { kind = kind, fits = fits } end
  return { optional = true, kind = kind, fits = function(value) return value == nil or fits(value) end }
end

-- Whether all arguments can be taken as they are. No function here has more than four.
local function all_fit(parameters, n, a, b, c, d)
  if n > #parameters then return false end
  local p1, p2, p3, p4 = parameters[1], parameters[2], parameters[3], parameters[4]
  return (not p1 or p1.fits(a)) and (not p2 or p2.fits(b)) and (not p3 or p3.fits(c)) and (not p4 or p4.fits(d))
end

-- Takes a place out of the list of arguments, for a shorthand that needs two.
local function take_out(given, i)
  table.move(given, i + 1, given.n + 1, i)
  given.n = given.n - 1
end

-- The list of arguments with what shorthands mean. Raises what is wrong with them; an error value in the place of an
-- argument, as in mouse.click(screen.find_image(...)), is raised itself.
local function mend(who, parameters, given)
  for i = 1, given.n do
    if errors.is(given[i]) then
      given[i].where = given[i].where or errors.caller()
      error(given[i], 0)
    end
  end
  for i, each in ipairs(parameters) do
    if each.kind.take and given[i] ~= nil then each.kind.take(given, i) end
    if not each.fits(given[i]) then wrong_type(who, i, each.kind, given[i]) end
  end
  for i = #parameters + 1, given.n do
    if given[i] ~= nil then too_many(who, #parameters, i, given[i]) end
  end
  return table.unpack(given, 1, #parameters)
end

local function checked(who, fn, parameters)
  return signature.stands_for(function(...)
    if all_fit(parameters, select("#", ...), ...) then return fn(...) end
    return fn(mend(who, parameters, table.pack(...)))
  end, fn)
end

local function checked_method(who, fn, parameters)
  local class, name = who:match("^(.*):(.*)$")
  return signature.stands_for(function(self, ...)
    if type(self) ~= "table" then
      errors.mistake("%s is a method: it is called as %s:%s(...), with a colon", who, class, name)
    end
    if all_fit(parameters, select("#", ...), ...) then return fn(self, ...) end
    return fn(self, mend(who, parameters, table.pack(...)))
  end, fn)
end

local function read(who, separator, list)
  local parameters = {}
  for name, given in pairs(list) do
    parameters[name] = {}
    assert(#given <= 4, name)
    for i, each in ipairs(given) do parameters[name][i] = parameter(who .. separator .. name, each) end
  end
  return parameters
end

--- The signatures of a part of the desk: a function that puts them before the functions of a table.
---@param who string such as "desk.mouse"
---@param list table<string, (string|table)[]> the parameters of each function
---@return fun(api: table): table apply gives the same table back
function signature.of(who, list)
  local parameters
  return function(api)
    parameters = parameters or read(who, ".", list) -- once all kinds are known
    for name, each in pairs(parameters) do
      api[name] = checked(who .. "." .. name, assert(api[name], name), each)
    end
    return api
  end
end

--- The same for the methods of a class, which gets its name as `__name`.
---@param who string such as "tab"
---@param class table
---@param list table<string, (string|table)[]> the parameters of each method, without self
function signature.methods(who, class, list)
  class.__name = who
  for name, each in pairs(read(who, ":", list)) do
    class[name] = checked_method(who .. ":" .. name, assert(class[name], name), each)
  end
end

--- For a kind of which a text is the value of one field: press "OK" is press { name = "OK" }.
---@param field string
---@param more boolean? whether a table with more fields may follow: find("Save", { role = "push button" })
---@return fun(given: table, i: integer) take
function signature.text_as(field, more)
  return function(given, i)
    if type(given[i]) ~= "string" then return end
    local whole, others = { [field] = given[i] }, given[i + 1]
    if more and is_plain_table(others) then
      for key, value in pairs(others) do whole[key] = value end
      take_out(given, i + 1)
    end
    given[i] = whole
  end
end

--- The place that two numbers stand for: click(100, 100).
---@param given table
---@param i integer
function signature.numbers_as_point(given, i)
  if type(given[i]) ~= "number" or type(given[i + 1]) ~= "number" then return end
  given[i] = { x = given[i], y = given[i + 1] }
  take_out(given, i + 1)
end

return signature
