--- Keeps secrets out of everything that is shown or written. Code that reads a secret registers it; code that prints or
--- records text from outside masks that text first, and shortens it after that: half a secret is not recognised.
local image = require "native.image"
local invisible = require "deskpilot.base.invisible"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local secrets = {}

local shortest = 4 -- bytes; masking shorter values would only garble ordinary words
local shortest_form = 8 -- the same for what a value is written as
local shortest_variable = 8 -- and for a variable's value, which may be an ordinary word
local stars = "***"

local known, forms = {}, {} -- values; values and what they are written as, the longest first

-- Short texts in which there is nothing to mask, as long as they are not too many: names of fields, roles and states
-- come again and again.
local LONGEST_CLEAN, MOST_CLEAN = 40, 1000
local clean, clean_count = {}, 0
local plain_names = {} -- names of fields that hold no secret by their name, as long as they are not too many
local clean_tables = setmetatable({}, { __mode = "k" }) -- what secrets.encode has made of tables that do not change

-- What was clean may not be any more.
local function forget_clean()
  clean_count = 0
  for _, known_clean in ipairs { clean, clean_tables, plain_names } do
    for key in pairs(known_clean) do known_clean[key] = nil end
  end
end

local function percent_encoded(value)
  return (value:gsub("[^%w._~-]", function(c) return ("%%%02X"):format(c:byte()) end))
end

-- What is a value's own of the base64 of a text that holds it. Three bytes make four characters, so that there are
-- three forms, and those characters are left out that also depend on the bytes around the value.
local function base64_forms(value, add)
  for before = 0, 2 do
    local whole = image.base64(("\0"):rep(before) .. value)
    local form = whole:sub(before == 0 and 1 or before + 2, (before + #value) * 8 // 6)
    add(form)
    add((form:gsub("[+/]", { ["+"] = "-", ["/"] = "_" }))) -- as URLs and tokens have it
  end
end

---@class deskpilot.secrets.form
---@field words string
---@field lead string what it begins with
---@field parts { special: string, rest: string }[] what follows: a character that may have backslashes before it, as in
---  JSON and in JSON within that, and those up to the next one

-- Such characters at the beginning are left out: a search that begins with any number of backslashes is quadratic.
local function form_of(words)
  words = words:match("[^/\"\\].*") or words
  local lead, at = words:match("^(.[^/\"\\]*)()")
  local parts = {}
  for special, rest in words:sub(at):gmatch("([/\"\\])([^/\"\\]*)") do
    local last = parts[#parts]
    local is_run = special == "\\" and last and last.special == "\\" and last.rest == ""
    if is_run then last.rest = rest else parts[#parts + 1] = { special = special, rest = rest } end
  end
  return { words = words, lead = lead, parts = parts }
end

-- Where a form ends that begins there; nil where it is not there.
local function form_end(words, form, at)
  at = at + #form.lead
  for _, part in ipairs(form.parts) do
    local past = words:find("[^\\]", at) or #words + 1
    local wanted = part.rest
    if part.special ~= "\\" then wanted = part.special .. wanted
    elseif past == at then return nil end
    if words:sub(past, past + #wanted - 1) ~= wanted then return nil end
    at = past + #wanted
  end
  return at
end

local function longer(a, b) return #a.words > #b.words end

-- A value and what it may be written as: in JSON, in a URL, in base64. The longest first: one may contain another.
local function forms_of(value)
  local list, there = {}, {}
  local function add(words)
    if #words < shortest_form and words ~= value or there[words] then return end
    there[words] = true
    list[#list + 1] = form_of(words)
  end
  add(value)
  add(percent_encoded(value))
  base64_forms(value, add)
  table.sort(list, longer)
  return list
end

--- Registers a value that `mask` replaces from now on, with what it is in JSON, in a URL and in base64. Values of fewer
--- than 4 bytes are ignored.
---@param value string?
function secrets.register(value)
  if type(value) ~= "string" or #value < shortest or known[value] then return end
  known[value] = true
  forget_clean()
  local more = forms_of(value)
  table.move(more, 1, #more, #forms + 1, forms)
  table.sort(forms, longer)
end

local endings = { "KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS" }

-- Whether a variable of that name holds a secret: OPENAI_API_KEY, GITHUB_TOKEN.
local function is_variable(name)
  if not name:find("^[%u_][%u%d_]*$") then return false end
  for _, ending in ipairs(endings) do
    if text.ends(name, ending) then return true end
  end
  return false
end

--- Registers the values of those variables that hold secrets by their names.
---@param environment table<string, string>
function secrets.register_environment(environment)
  for name, value in pairs(environment) do
    local is_path = value:find("^[/~]") or value:find("^%a:[/\\]")
    if #value >= shortest_variable and not is_path and is_variable(name:upper()) then secrets.register(value) end
  end
end

local function replace(words, form)
  local at = #form.words <= #words and words:find(form.lead, 1, true)
  local parts, from = {}, 1
  while at do
    local past = form_end(words, form, at)
    if past then
      parts[#parts + 1] = words:sub(from, at - 1)
      from = past
    end
    at = words:find(form.lead, past or at + 1, true)
  end
  if from == 1 then return words end
  parts[#parts + 1] = words:sub(from)
  return table.concat(parts, stars)
end

local function replace_each(words, list)
  for _, form in ipairs(list) do words = replace(words, form) end
  return words
end

-- Also those with invisible characters in them, from which somebody only has to take these out.
local function replace_all(words, list)
  words = replace_each(words, list)
  if #list == 0 or not words:find("[\x80-\xFF]") then return words end
  local visible = invisible.remove(words)
  if visible == words then return words end
  local replaced = replace_each(visible, list)
  return replaced ~= visible and replaced or words
end

-- "http://user:***@host". Looked for from each "://" on, so that no run of letters is read again for each of them.
local function mask_passwords(words)
  local at = words:find("://", 1, true)
  if not at then return words end
  local parts, from = {}, 1
  while at do
    local user, past = words:match("^([^%s/@:\"'<>]*:)[^%s/\"'<>\\]*@()", at + 3)
    if user then
      parts[#parts + 1] = words:sub(from, at + 2) .. user .. stars .. "@"
      from = past
    end
    at = words:find("://", user and past or at + 3, true)
  end
  parts[#parts + 1] = words:sub(from)
  return table.concat(parts)
end

local parameter_endings = { "key", "token", "secret", "password", "passwd", "signature", "sig", "auth" }

local function mask_parameter(name, value)
  local folded = name:lower()
  for _, ending in ipairs(parameter_endings) do
    if text.ends(folded, ending) then return name .. "=" .. stars end
  end
  return name .. "=" .. value
end

-- What looks like a secret, whoever's it is.
local function mask_patterns(words)
  if words:find("sk-", 1, true) then -- a gsub that changes nothing makes a copy all the same
    words = words:gsub("%f[%w]sk%-[%w_*.-]+", function(found)
      return #found >= 10 and "sk-***" or nil -- "sk-SK" is a language
    end)
  end
  if words:find("earer", 1, true) then words = words:gsub("([Bb]earer%s+)[%w%-._~+/]+=*", "%1***") end
  if words:find("uthorization", 1, true) then
    words = words:gsub("(uthorization[\"']?: ?[\"']?)[^%s\"',]* ?[^%s\"',]*", "%1***")
  end
  if words:find("=", 1, true) then
    if words:find("[?&]") then words = words:gsub("([?&][%w_.-]*)=([^&%s#\"'<>\\]+)", mask_parameter) end
    if words:find("[%u%d_]=") then
      words = words:gsub("%f[%w_]([%u_][%u%d_]*)=[^%s\"'\\,;<>&]+", function(name)
        return is_variable(name) and name .. "=" .. stars or nil
      end)
    end
  end
  return mask_passwords(words)
end

--- The text with "***" for every registered secret, in whichever form, and for everything that looks like one: an API
--- key, a bearer token, a URL's password or ?key=, a variable such as OPENAI_API_KEY=... .
---@param words string
---@return string
function secrets.mask(words)
  if clean[words] then return words end
  local masked = mask_patterns(replace_all(words, forms))
  if masked == words and #words <= LONGEST_CLEAN then
    if clean_count >= MOST_CLEAN then forget_clean() end
    clean[words], clean_count = true, clean_count + 1
  end
  return masked
end

-- A deep copy with every string of it changed, names of fields too. A table that contains itself stays one.
local function map(value, change, copies)
  if type(value) == "string" then return change(value) end
  if type(value) ~= "table" then return value end
  if copies[value] then return copies[value] end
  local copy = setmetatable({}, getmetatable(value))
  copies[value] = copy
  for key, item in pairs(value) do
    if type(key) ~= "string" then copy[key] = map(item, change, copies)
    elseif type(item) == "string" and #item >= shortest_variable and is_variable(key) then copy[change(key)] = stars
    else copy[change(key)] = map(item, change, copies) end
  end
  return copy
end

--- A deep copy of a plain table with every string in it masked.
function secrets.mask_all(value)
  return map(value, secrets.mask, {})
end

local change = { text = secrets.mask, copy = secrets.mask_all, same = clean, plain = plain_names,
  constants = clean_tables }

function change.item(key, words)
  local hidden = is_variable(key)
  if not hidden and clean[key] then plain_names[key] = true end
  if hidden and #words >= shortest_variable then return stars end
  return secrets.mask(words)
end

--- The JSON text of a plain table with every string in it masked, as that of mask_all, but without a copy.
---@param value any
---@return string
function secrets.encode(value)
  return json.encode(value, change)
end

-- In place, since an answer may be large. The names are collected first: a table that is walked takes no new ones.
local function strip(value, list)
  if type(value) == "string" then return replace_all(value, list) end
  if type(value) ~= "table" then return value end
  local renamed
  for key, item in pairs(value) do
    value[key] = strip(item, list)
    local name = type(key) == "string" and replace_all(key, list) or key
    if name ~= key then
      renamed = renamed or {}
      renamed[key] = name
    end
  end
  for key, name in pairs(renamed or {}) do value[name], value[key] = value[key], nil end
  return value
end

--- Takes secrets out of what their receiver sent back, in place: whoever is given a key has no reason to say it, and
--- what is decided from the answer could type it somewhere.
---@param value any a string, or a tree of plain tables, which is changed
---@param list string[]
---@return any value
function secrets.strip(value, list)
  for _, secret in ipairs(list) do
    if #secret >= shortest_form then value = strip(value, forms_of(secret)) end
  end
  return value
end

return secrets
