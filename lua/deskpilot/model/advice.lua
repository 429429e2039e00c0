--- The words about a model server that does not answer as one: what was seen, and what to do next.
local provider = require "deskpilot.model.provider"
local text = require "deskpilot.base.text"

local advice = {}

--- What a web page calls itself, "" where it has no title; nil where the answer is no web page.
---@param result deskpilot.http.result
---@return string?
function advice.page_title(result)
  local head = result.body:sub(1, 4096)
  local begins = head:match("^[%s\239\187\191]*(<[!%a][^>%s]*)")
  local is_page = (result.headers["content-type"] or ""):lower():find("text/html", 1, true)
    or begins and (begins:lower() == "<!doctype" or begins:lower() == "<html")
  if not is_page then return nil end
  local title = head:match("<[Tt][Ii][Tt][Ll][Ee][^>]*>(.-)</") or "" -- pattern: of 4096 bytes
  return text.cut(text.one_line(title), 60)
end

--- The sentence about a web page in place of an answer.
---@param endpoint string
---@param title string as page_title gives it
---@return string
function advice.page(endpoint, title)
  return ("%s answers with a web page%s and not as a model server does: check the address, which usually ends in /v1, "
    .. "or name the server by --provider"):format(endpoint, title ~= "" and (" (%q)"):format(title) or "")
end

--- What to do where nothing listens at an address of this machine.
---@param endpoint string
---@return string
function advice.start(endpoint)
  local usual = provider.usually_at(endpoint)
  local words = {}
  if usual and usual.start then
    return ("%s usually listens there: start it by `%s`; another server is named by --provider or --endpoint, and "
      .. "--model literal needs none"):format(usual.title, usual.start)
  end
  for _, name in ipairs { "lmstudio", "ollama" } do
    local one = provider.find(name)
    if one and one.start then
      words[#words + 1] = ("`%s` (%s: --provider %s, %s)"):format(one.start, one.title, name, one.endpoint)
    end
  end
  return ("start one, such as %s; --model literal needs none"):format(table.concat(words, " or "))
end

--- What to do about a key that is missing or not accepted.
---@param key string? the key that was sent
---@param from string? the variable or the file that it is from
---@param option string? the configuration key that names its file
---@return string
function advice.key(key, from, option)
  option = option or "model.api_key_file"
  if key then
    return ("is the API key right? It is from %s"):format(from or "whoever made the client")
  end
  local variable = option == "model.api_key_file" and "put it into the variable DESKPILOT_API_KEY, or " or ""
  return ("it wants an API key: %ssay by %s which file holds it"):format(variable, option)
end

--- What to do about a model that a server does not have.
---@param endpoint string
---@param name string the model's
---@param names string[] those that it has
---@return string
function advice.model(endpoint, name, names)
  local one = provider.usually_at(endpoint)
  local nearest = text.nearest(name, names)
  local words = nearest and ("did you mean %s? It has "):format(nearest) or "it has "
  local more = #names > 8 and (", and %d more"):format(#names - 8) or ""
  words = words .. (#names == 0 and "none" or text.join(table.move(names, 1, math.min(#names, 8), 1, {})) .. more)
  local get = one and one.get and one.get:gsub("MODEL", (name:gsub("%%", "%%%%")))
  return words .. "; choose one by --model" .. (get and (", or get it by `%s`"):format(get) or "")
end

return advice
