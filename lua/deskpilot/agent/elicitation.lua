--- What a server wants to know of the person ("elicitation") becomes questions to people. Only people answer: no rule
--- and no default stands in for them, and no model learns of it. A form is asked for field by field.
local approval = require "deskpilot.agent.approval"
local json = require "deskpilot.base.json"
local questions = require "deskpilot.agent.questions"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local elicitation = {}

local most_fields, most_options, most_tries = 20, 19, 3
local leave_out = "(leave it out)"

local kinds = { string = true, number = true, integer = true, boolean = true, array = true }

-- The values that may be chosen from, and their titles; nil for any.
local function choices_of(definition)
  local values, titles = {}, {}
  for i, value in ipairs(type(definition.enum) == "table" and definition.enum or {}) do
    local names = type(definition.enumNames) == "table" and definition.enumNames or {}
    values[i], titles[i] = value, names[i] or value
  end
  for _, one in ipairs(definition.oneOf or definition.anyOf or {}) do
    if type(one) == "table" and one.const ~= nil then
      values[#values + 1], titles[#titles + 1] = one.const, one.title or one.const
    end
  end
  for i, title in ipairs(titles) do titles[i] = approval.visible(tostring(title), 100) end
  return #values > 0 and values or nil, titles
end

local function read_field(name, definition, required)
  if type(definition) ~= "table" or not kinds[definition.type] or not schema.check(definition, { foreign = true }) then
    return nil
  end
  local field = { name = name, definition = definition, required = required, default = definition.default,
    title = approval.visible(type(definition.title) == "string" and definition.title or name, 100),
    about = type(definition.description) == "string" and approval.visible(definition.description, 300) or nil }
  local of = definition.type == "array" and type(definition.items) == "table" and definition.items or definition
  field.values, field.titles = choices_of(of)
  if definition.type == "boolean" then field.values, field.titles = { true, false }, { "yes", "no" } end
  return field
end

-- The fields of a form in their order; nil where it is none that can be asked for.
local function fields_of(wanted)
  if type(wanted) ~= "table" then return {} end
  local required, list = {}, {}
  for _, name in ipairs(type(wanted.required) == "table" and wanted.required or {}) do required[name] = true end
  for i, name in ipairs(schema.names(wanted)) do
    list[i] = read_field(name, wanted.properties[name], required[name] or false)
    if not list[i] or i > most_fields then return nil end
  end
  return list
end

local function shown(value)
  return type(value) == "string" and approval.visible(value, 100) or json.encode(value)
end

-- --- one field ------------------------------------------------------------------------------------------------

local function value_of(field, answer)
  if field.definition.type == "array" then
    local list = json.list {}
    for item in answer:gmatch "[^,]+" do
      local word = text.trim(item)
      for i, title in ipairs(field.titles) do
        if title:lower() == word:lower() then word = field.values[i] break end
      end
      list[#list + 1] = word
    end
    return list
  end
  for i, title in ipairs(field.titles) do
    if title == answer and field.values then return field.values[i] end
  end
  return schema.coerce(field.definition, answer)
end

local function question_of(field, label, problem)
  local lines = { ("%s wants to know: %s"):format(label, field.title) }
  if field.about then lines[#lines + 1] = field.about end
  local options
  if field.values and field.definition.type ~= "array" and #field.values > 1 and #field.values <= most_options then
    options = { table.unpack(field.titles) }
    if not field.required then options[#options + 1] = leave_out end
  elseif field.values then
    lines[#lines + 1] = "It is of: " .. table.concat(field.titles, ", ")
  end
  if field.definition.type == "array" then lines[#lines + 1] = "Several are separated by commas." end
  if not options and not field.required then lines[#lines + 1] = ("%s leaves it out."):format(leave_out) end
  if field.default ~= nil then lines[#lines + 1] = ("Left out it is %s."):format(shown(field.default)) end
  if problem then lines[#lines + 1] = ("The last answer did not fit: %s."):format(problem) end
  local question = { text = table.concat(lines, "\n"), options = options }
  if questions.problem(question) then question.options = nil end -- two options that look alike
  return question
end

-- A person's answer to a field: whether there is one, and its value; false where the question was not answered.
local function ask_field(run, field, label)
  local problem
  for _ = 1, most_tries do
    local answer, err = questions.ask(run, question_of(field, label, problem), true)
    if not answer then return nil, err end
    if text.trim(answer):lower() == leave_out and not field.required then return true, nil end
    local value = value_of(field, answer)
    local fits, why = schema.validate(field.definition, value)
    if fits then return true, value end
    problem = text.cut(text.one_line(tostring(why)), 200)
  end
  return nil, nil
end

-- --- a form ---------------------------------------------------------------------------------------------------

local function what_is_wanted(fields)
  local names = {}
  for i, field in ipairs(fields) do names[i] = field.title .. (field.required and "" or " (may be left out)") end
  return table.concat(names, ", ")
end

local function first_question(label, message, fields)
  local words = type(message) == "string" and approval.visible(message, 800) or ""
  local options, lines = { "yes", "no" }, { ("%s asks: %s"):format(label, words) }
  if #fields > 0 then
    options = { "answer", "decline" }
    lines[#lines + 1] = "It wants: " .. what_is_wanted(fields)
    local defaults = true
    for _, field in ipairs(fields) do defaults = defaults and (not field.required or field.default ~= nil) end
    if defaults then options[3] = "defaults" end
  end
  return { text = table.concat(lines, "\n"), options = options }
end

local function declined(err) return { action = err and err.code == "refused" and "decline" or "cancel" } end

local function fill_in(run, fields, label, asked)
  local content = {}
  for _, field in ipairs(fields) do
    if asked then
      local answered, value = ask_field(run, field, label)
      if not answered then return nil, value end
      content[field.name] = value
    end
    if content[field.name] == nil then content[field.name] = field.default end
  end
  return content
end

--- Asks a person what a server wants to know.
---@param run deskpilot.run
---@param label string what the server is called
---@param params table as the server has sent them
---@return table result `action` is "accept" with `content`; "decline": a person does not want to; "cancel": there was
---  no answer
function elicitation.ask(run, label, params)
  if params.mode ~= nil and params.mode ~= "form" then return { action = "decline" } end
  local fields = fields_of(params.requestedSchema)
  if not fields then return { action = "decline" } end
  local answer, err = questions.ask(run, first_question(label, params.message, fields), true)
  if not answer then return declined(err) end
  if answer == "no" or answer == "decline" then return { action = "decline" } end
  local content, why = fill_in(run, fields, label, answer == "answer")
  if not content then return declined(why) end
  return { action = "accept", content = content }
end

return elicitation
