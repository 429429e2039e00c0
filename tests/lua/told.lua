--- What a request tells, read as a model has to read it: the first look whole, and what each later look says is
--- different put in its place. Whoever plays a model finds in it the screen as it is now.
local told = {}

-- The texts of the user's first message.
local function parts_of(request)
  local content, parts = request.messages[2].content, {}
  if type(content) == "string" then return { content } end
  for _, part in ipairs(content) do parts[#parts + 1] = part.text end
  return parts
end

local Reading = {}
Reading.__index = Reading

local function is_of_desktop(line)
  return line:find " %[%d+,%d+%]" ~= nil
end

function Reading:add(line, after)
  local entry = { line = line, number = line:match "^%[(%d+)%] " }
  if entry.number then self.of_number[entry.number] = entry end
  table.insert(self.entries, after or #self.entries + 1, entry)
end

-- Behind the last element of its kind.
function Reading:add_new(line)
  for i = #self.entries, 1, -1 do
    local entry = self.entries[i]
    if entry.number and is_of_desktop(entry.line) == is_of_desktop(line) then return self:add(line, i + 1) end
  end
  self:add(line)
end

function Reading:remove(line)
  for i, entry in ipairs(self.entries) do
    if entry.line == line or entry.number and entry.number == line:match "^%[(%d+)%] " then
      return table.remove(self.entries, i)
    end
  end
  local role, name = line:match '^([^"%[]+) ("[^"]*")' -- one of a list by roles
  if not role then error("gone, and was never told of: " .. line, 0) end
  for _, entry in ipairs(self.entries) do
    local first, last = entry.line:find(name, 1, true)
    if first and entry.line:sub(1, #role + 1) == role .. ":" then
      entry.line = entry.line:sub(1, first - 1) .. entry.line:sub(last + 1)
      return
    end
  end
end

-- The focus is where it was told last.
function Reading:move_focus()
  for _, entry in ipairs(self.entries) do
    if entry.number and is_of_desktop(entry.line) then entry.line = entry.line:gsub(" focused%f[^%w]", "", 1) end
  end
end

function Reading:change(line)
  local number = line:match "^%[(%d+)%] "
  local entry = number and self.of_number[number]
  local head = line:match "^%u+:" -- of a page
  for _, other in ipairs(head and self.entries or {}) do
    if other.line:match "^%u+:" == head then entry = other end
  end
  if not entry then return self:add(line) end
  local place = entry.line:match " (%[%d+,%d+%])"
  if place then
    if line:find(" focused", 1, true) then self:move_focus() end
    if not is_of_desktop(line) then line = line:gsub('^(%[%d+%] [^"]*"[^"]*")', "%1 " .. place, 1) end
  end
  entry.line = line
end

-- What has been done comes behind what had been done before.
function Reading:add_done(line)
  for i = #self.entries, 1, -1 do
    local had = self.entries[i].line
    if had == "  none yet" then table.remove(self.entries, i) end
    if had == "  none yet" then return self:add(line, i) end
    if had == "RECENT ACTIONS:" then return self:add(line, i + 1) end
    if had:find "^  T%d+: " then return self:add(line, i + 1) end
  end
  self:add(line)
end

-- The active window is the one that was told last.
function Reading:set_screen(line)
  for _, entry in ipairs(self.entries) do
    if entry.line:find("SCREEN: ", 1, true) == 1 then
      entry.line = line
      return
    end
  end
  self:add(line)
end

--- All that a request says, with the screen as it is now.
---@param request table in OpenAI's shape
---@return string
function told.words(request)
  local self = setmetatable({ entries = {}, of_number = {} }, Reading)
  for _, part in ipairs(parts_of(request)) do
    for line in part:gmatch "[^\n]*" do
      local how, rest = line:match "^(%l+): (.*)$"
      if how == "now" then self:change(rest)
      elseif how == "new" then self:add_new(rest)
      elseif how == "gone" then self:remove(rest)
      elseif line:find "^  T%d+: " then self:add_done(line)
      elseif line:find("SCREEN: ", 1, true) == 1 then self:set_screen(line)
      elseif line ~= "DONE SINCE THEN:" then self:add(line) end
    end
  end
  local lines = {}
  for i, entry in ipairs(self.entries) do lines[i] = entry.line end
  return table.concat(lines, "\n")
end

return told
