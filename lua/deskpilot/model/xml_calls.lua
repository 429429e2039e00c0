--- Calls written with tags: <function=NAME><parameter=KEY>value</parameter></function>, and <arg_key>, <arg_value>. The
--- values are texts; the tool's schema makes numbers and lists of them.
local xml_calls = {}

-- A value without the line ends around it.
local function value_of(source, from, to)
  local value = source:sub(from, to)
  if value:sub(1, 1) == "\n" then value = value:sub(2) end
  if value:sub(-1) == "\n" then value = value:sub(1, -2) end
  return value
end

-- Where a part that begins at `from` ends: at its own tag, or, where that is missing, at what begins next.
local function end_of(source, from, tag, others, repairs)
  local stop, after = source:find(tag, from, true)
  local before
  for _, other in ipairs(others) do
    local at = source:find(other, from, true)
    if at and at < (before or #source + 1) then before = at end
  end
  if stop and not (before and before < stop) then return stop - 1, after + 1 end
  if not repairs:add "missing_tag" then return nil end
  return (before or #source + 1) - 1, before or #source + 1
end

-- The parameters of a function from `at` on.
local function read_parameters(source, at, repairs)
  local args = {}
  while true do
    local key, from = source:match("^%s*<parameter=([%w_.-]+)>()", at)
    if not key then return args, at end
    local last
    last, at = end_of(source, from, "</parameter>", { "<parameter=", "</function>", "<function=" }, repairs)
    if not last then return nil end
    args[key] = value_of(source, from, last)
  end
end

--- Adds the functions of a text to what is found.
---@param source string what stands inside the tags of a tool call
---@param found deskpilot.model.found
---@return boolean any whether there are some, or one that cannot be read
function xml_calls.functions(source, found)
  local at, any = 1, false
  while not found:full() do
    local name, from = source:match("<function=([%w_.-]+)>()", at)
    if not name then break end
    any = true
    local args, behind = read_parameters(source, from, found.repairs)
    local after = args and source:match("^%s*</function>()", behind)
    if args and not after then
      local rest = source:match("^%s*()", behind)
      if rest <= #source and source:sub(rest, rest + 9) ~= "<function=" then
        found:broken(source:sub(from, from + 2000), "its parameters are not between their tags", name)
        return true
      end
      if not found.repairs:add "missing_tag" then args = nil end
    end
    if not args then
      found:broken(source:sub(from, from + 2000), nil, name)
      return true
    end
    found:add(name, args)
    at = after or behind
  end
  return any
end

--- Adds the call NAME <arg_key>K</arg_key><arg_value>V</arg_value> of a text.
---@param source string
---@param found deskpilot.model.found
---@return boolean any
function xml_calls.pairs(source, found)
  local name, at = source:match("^%s*([%w_.-]+)%s*()")
  if not name or source:sub(at, at + 8) ~= "<arg_key>" then return false end
  local args = {}
  while at <= #source do
    local key, from = source:match("^%s*<arg_key>([^<]*)</arg_key>%s*<arg_value>()", at)
    if not key then break end
    local last
    last, at = end_of(source, from, "</arg_value>", { "<arg_key>" }, found.repairs)
    if not last then
      found:broken(source, nil, name)
      return true
    end
    args[key] = value_of(source, from, last)
  end
  if source:find("%S", at) then
    found:broken(source, "its arguments are not between their tags", name)
  else
    found:add(name, args)
  end
  return true
end

return xml_calls
