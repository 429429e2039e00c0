-- The tools, resources and prompts by which the protocol's conformance suite tests a server: `deskpilot mcp --offer`.
-- Their names and what they answer are the suite's.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local native = require "native.image"
local task = require "deskpilot.base.task"

local pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
local sound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

local nothing = json.ordered({ type = "object", properties = {} }, { "type" })

local function text_input(name)
  return { type = "object", properties = { [name] = { type = "string" } }, required = { name } }
end

local function block(words) return { type = "text", text = words } end

-- A question by a form.
local function form(message, properties, required)
  return { method = "elicitation/create", params = { message = message, requestedSchema = { type = "object",
    properties = properties, required = required and json.list(required) or nil } } }
end

local function sampling(words, tokens)
  return { method = "sampling/createMessage", params = { messages = json.list { { role = "user",
    content = block(words) } }, maxTokens = tokens } }
end

local roots = { method = "roots/list", params = {} }

local function content_of(answer)
  return json.encode(type(answer.content) == "table" and answer.content or {})
end

local tools = {}

local function tool(name, about, run, parameters)
  tools[#tools + 1] = { name = name, description = about, parameters = parameters or nothing, run = run }
end

tool("test_simple_text", "Gives a text", function() return "This is a simple text response for testing." end)

tool("test_image_content", "Gives a picture", function()
  return { pictures = { { base64 = pixel, mime = "image/png" } } }
end)

tool("test_audio_content", "Gives a sound", function()
  return { content = { { type = "audio", data = sound, mimeType = "audio/wav" } } }
end)

tool("test_embedded_resource", "Gives a resource", function()
  return { content = { { type = "resource", resource = { uri = "test://embedded-resource", mimeType = "text/plain",
    text = "This is an embedded resource content." } } } }
end)

tool("test_multiple_content_types", "Gives a text, a picture and a resource", function()
  return { content = { block "Multiple content types test:", { type = "image", data = pixel, mimeType = "image/png" },
    { type = "resource", resource = { uri = "test://mixed-content-resource", mimeType = "application/json",
      text = json.encode { test = "data", value = 123 } } } } }
end)

local function logs(call)
  for _, words in ipairs { "Tool execution started", "Tool processing data", "Tool execution completed" } do
    call:log("info", words)
    task.sleep(0.05)
  end
  return "logged"
end

tool("test_tool_with_logging", "Writes to the log", logs)
tool("test_logging_tool", "Writes to the log", logs)

tool("test_tool_with_progress", "Tells of its progress", function(call)
  for done = 0, 100, 50 do
    call:progress(done, 100, ("Completed step %d of 100"):format(done))
    task.sleep(0.05)
  end
  return "done"
end)

tool("test_error_handling", "Fails", function()
  return errors.fail("invalid", "This tool intentionally returns an error for testing")
end)

tool("test_sampling", "Asks the client's model", function(call, args)
  local answers, err = call:ask { answer = sampling(args.prompt, 100) }
  if not answers then return nil, err end
  return "LLM response: " .. content_of(answers.answer)
end, text_input "prompt")

local function elicits(message, properties, required)
  return function(call, args)
    local answers, err = call:ask { answer = form(args.message or message, properties, required) }
    if not answers then return nil, err end
    return ("User response: action=%s, content=%s"):format(tostring(answers.answer.action), content_of(answers.answer))
  end
end

tool("test_elicitation", "Asks the client's user", elicits(nil, { username = { type = "string" },
  email = { type = "string" } }, { "username", "email" }), text_input "message")

tool("test_elicitation_sep1034_defaults", "Asks with defaults", elicits("Please review the form", {
  name = { type = "string", default = "John Doe" }, age = { type = "integer", default = 30 },
  score = { type = "number", default = 95.5 }, verified = { type = "boolean", default = true },
  status = { type = "string", enum = { "active", "inactive", "pending" }, default = "active" } }, {}))

local function titled(value, title) return { const = value, title = title } end

tool("test_elicitation_sep1330_enums", "Asks with choices", elicits("Please select", {
  untitledSingle = { type = "string", enum = { "option1", "option2", "option3" } },
  titledSingle = { type = "string", oneOf = { titled("value1", "First Option"), titled("value2", "Second Option"),
    titled("value3", "Third Option") } },
  legacyEnum = { type = "string", enum = { "opt1", "opt2", "opt3" },
    enumNames = { "Option One", "Option Two", "Option Three" } },
  untitledMulti = { type = "array", minItems = 1, maxItems = 3, items = { type = "string",
    enum = { "option1", "option2", "option3" } } },
  titledMulti = { type = "array", minItems = 1, maxItems = 3, items = { anyOf = { titled("value1", "First Choice"),
    titled("value2", "Second Choice"), titled("value3", "Third Choice") } } } }, {}))

tool("test_streaming_elicitation", "Asks the client's user after a word of progress", function(call)
  call:progress(1, 2, "asking")
  local answers, err = call:ask { answer = form("Go on?", { ok = { type = "boolean" } }, { "ok" }) }
  if not answers then return nil, err end
  return "answered"
end)

tool("test_missing_capability", "Needs a client with a model", function(call)
  call:need "sampling"
  return "Success"
end)

-- Asks for these one after the other, and says what it heard last.
local function asks(...)
  local rounds = { ... }
  return function(call)
    local answers, err
    for _, requests in ipairs(rounds) do
      answers, err = call:ask(requests)
      if not answers then return nil, err end
    end
    return "heard " .. json.encode(answers)
  end
end

local ask_name = form("What is your name?", { name = { type = "string" } }, { "name" })
local confirm = { confirm = form("Please confirm", { ok = { type = "boolean" } }, { "ok" }) }

tool("test_input_required_result_elicitation", "Needs a name", asks { user_name = ask_name })
tool("test_input_required_result_sampling", "Needs a model", asks { capital_question = sampling(
  "What is the capital of France?", 100) })
tool("test_input_required_result_list_roots", "Needs roots", asks { client_roots = roots })
tool("test_input_required_result_request_state", "Needs a yes", asks(confirm))
tool("test_input_required_result_tampered_state", "Needs a yes", asks(confirm))
tool("test_input_required_result_multiple_inputs", "Needs three things", asks { user_name = ask_name,
  greeting = sampling("Generate a greeting", 50), client_roots = roots })
tool("test_input_required_result_multi_round", "Needs two things, one after the other", asks(
  { step1 = form("Step 1: What is your name?", { name = { type = "string" } }, { "name" }) },
  { step2 = form("Step 2: What is your favorite color?", { color = { type = "string" } }, { "color" }) }))

tool("test_input_required_result_capabilities", "Needs what the client can give", function(call)
  local requests = { answer = call:has "sampling" and sampling("Hello", 50) or nil,
    user_name = call:has "elicitation" and ask_name or nil }
  local answers, err = call:ask(requests)
  if not answers then return nil, err end
  return "heard"
end)

local resources = {
  { uri = "test://static-text", name = "static-text", mimeType = "text/plain",
    read = function() return "This is the content of the static text resource." end },
  { uri = "test://static-binary", name = "static-binary", mimeType = "image/png",
    read = function() return { bytes = native.from_base64(pixel) } end },
}

local templates = { { uriTemplate = "test://template/{id}/data", name = "template", mimeType = "application/json",
  read = function(uri)
    local id = uri:match "^test://template/([^/]+)/data$"
    return id and json.encode { id = id, templateTest = true, data = "Data for ID: " .. id }
  end } }

local function message(content) return { role = "user", content = content } end

local prompts = {
  { name = "test_simple_prompt", description = "A simple prompt",
    get = function() return { message(block "This is a simple prompt for testing.") } end },
  { name = "test_prompt_with_arguments", description = "A prompt with arguments",
    arguments = { { name = "arg1", required = true }, { name = "arg2", required = true } },
    get = function(_, args)
      return { message(block(("Prompt with arguments: arg1='%s', arg2='%s'"):format(args.arg1, args.arg2))) }
    end },
  { name = "test_prompt_with_embedded_resource", description = "A prompt with a resource",
    arguments = { { name = "resourceUri", required = true } },
    get = function(_, args)
      return { message { type = "resource", resource = { uri = args.resourceUri, mimeType = "text/plain",
        text = "Embedded resource content for testing." } }, message(block "Please process the resource above.") }
    end },
  { name = "test_prompt_with_image", description = "A prompt with a picture",
    get = function()
      return { message { type = "image", data = pixel, mimeType = "image/png" },
        message(block "Please analyze the image above.") }
    end },
  { name = "test_input_required_result_prompt", description = "A prompt that needs a context",
    get = function(call)
      local answers = assert(call:ask { user_context = form("What context should the prompt use?",
        { context = { type = "string" } }, { "context" }) })
      return { message(block("Prompt with context: " .. content_of(answers.user_context))) }
    end },
}

return { tools = tools, resources = resources, templates = templates, prompts = prompts }
