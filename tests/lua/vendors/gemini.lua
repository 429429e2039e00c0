--- Google's generateContent as its documentation has it: what is refused, in its words, and how answers look.
local json = require "deskpilot.base.json"

local vendor_server = require "vendor_server"

local gemini = { wire = "gemini", default_path = "/v1beta", key = "AIzaTest-1234567890" }

local names = { [400] = "INVALID_ARGUMENT", [403] = "PERMISSION_DENIED", [404] = "NOT_FOUND" }

--- The body of a refusal.
function gemini.failure(status, message)
  local details = message:find("API key not valid", 1, true) and { {
    ["@type"] = "type.googleapis.com/google.rpc.ErrorInfo", reason = "API_KEY_INVALID" } } or nil
  return { error = { code = status, message = message, status = names[status] or "INTERNAL", details = details } }
end

function gemini.refuses_head(request)
  if not request.path:find("^/v1beta/models/[%w%-._]+:%a+$") then return 404, "" end
  local method = request.path:match(":(%a+)$")
  if method ~= "generateContent" and not (method == "streamGenerateContent" and request.query == "alt=sse") then
    return 404, ""
  end
  if not request.headers["x-goog-api-key"] then
    return 403, "Method doesn't allow unregistered callers (callers without established identity). Please use API Key "
      .. "or other form of API consumer identity to call this API."
  end
  if request.headers["x-goog-api-key"] ~= gemini.key then
    return 400, "API key not valid. Please pass a valid API key."
  end
end

function gemini.schema() return "gemini" end

-- As many answers as calls, and a signature with the first call of each of the model's turns.
local function pairing(contents)
  for i, content in ipairs(contents) do
    local calls, answers, signed = {}, {}, nil
    for _, part in ipairs(content.parts) do
      if part.functionCall then
        calls[#calls + 1] = part.functionCall
        if signed == nil then signed = part.thoughtSignature ~= nil end
      end
    end
    for _, part in ipairs(contents[i + 1] and contents[i + 1].parts or {}) do
      if part.functionResponse then answers[#answers + 1] = part.functionResponse end
    end
    if signed == false then
      return ("Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        .. "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
        .. "function call `default_api:%s` , position %d."):format(calls[1].name, i)
    end
    if content.role == "model" and #calls ~= #answers then
      return "Please ensure that the number of function response parts is equal to the number of function call parts "
        .. "of the function call turn."
    end
    for k, call in ipairs(calls) do
      local asked = type(call.args) == "table" and call.args.safety_decision
      if call.name ~= answers[k].name then return "Please ensure that function response turn comes immediately after "
        .. "a function call turn." end
      if asked and answers[k].response.safety_acknowledgement ~= "true" then
        return "Safety decision requires acknowledgement."
      end
    end
  end
end

function gemini.refuses(body)
  local known, excluded = {}, {}
  for _, tool in ipairs(body.tools or {}) do
    for _, name in ipairs(tool.computerUse and tool.computerUse.excludedPredefinedFunctions or {}) do
      excluded[name] = true
    end
  end
  for _, tool in ipairs(body.tools or {}) do
    for _, fn in ipairs(tool.functionDeclarations or {}) do
      if known[fn.name] or body.tools[1].computerUse and fn.name == "wait" and not excluded.wait then
        return 400, "Duplicate function declaration found: " .. fn.name
      end
      known[fn.name] = true
    end
  end
  if body.contents[1].role ~= "user" then
    return 400, "Please ensure that function call turn comes immediately after a user turn or after a function "
      .. "response turn."
  end
  for _, content in ipairs(body.contents) do
    if content.role ~= "user" and content.role ~= "model" then return 400, "Please use a valid role: user, model." end
  end
  local problem = pairing(body.contents)
  if problem then return 400, problem end
end

function gemini.view(body)
  local view = { tools = {}, text = {}, results = {}, pictures = 0,
    system = body.systemInstruction and body.systemInstruction.parts[1].text }
  for _, tool in ipairs(body.tools or {}) do
    if tool.computerUse then view.computer = tool.computerUse.environment end
    for _, fn in ipairs(tool.functionDeclarations or {}) do view.tools[fn.name] = true end
  end
  for _, content in ipairs(body.contents) do
    for _, part in ipairs(content.parts) do
      if content.role == "user" and part.text then view.text[#view.text + 1] = part.text end
      if part.inlineData then view.pictures = view.pictures + 1 end
      if part.functionResponse then view.results[#view.results + 1] = part.functionResponse end
    end
  end
  return view
end

function gemini.answer(said, number, body)
  local parts, calls = json.list(), 0
  if said.thought then parts[1] = { text = said.thought, thought = true } end
  if said.text then parts[#parts + 1] = { text = said.text } end
  local function call(name, args)
    calls = calls + 1
    parts[#parts + 1] = { functionCall = { name = name, args = args or {} }, thoughtSignature = calls == 1
      and "Cs4BAdHtim" .. number or nil }
  end
  for _, act in ipairs(said.computer or {}) do
    local args = { intent = "because" }
    for key, value in pairs(act[2] or {}) do args[key] = value end
    if said.checks then
      args.safety_decision = { decision = "require_confirmation", explanation = said.checks[1].message }
    end
    call(act[1], args)
  end
  for _, one in ipairs(said.calls or {}) do call(one[1], one[2]) end
  return { candidates = { { content = { parts = parts, role = "model" }, finishReason = "STOP", index = 0 } },
    usageMetadata = { promptTokenCount = 400, candidatesTokenCount = 20, thoughtsTokenCount = 30, totalTokenCount = 450,
      cachedContentTokenCount = 100, promptTokensDetails = { { modality = "TEXT", tokenCount = 400 } } },
    modelVersion = body.model or "gemini-test", responseId = "mvN0aLyKD8iM" }
end

--- The same answer as a stream: each event is an answer with some more parts.
function gemini.stream(answer)
  local list, candidate = {}, answer.candidates[1]
  local function add(part)
    list[#list + 1] = { candidates = { { index = 0, content = { role = "model", parts = { part } } } },
      usageMetadata = { promptTokenCount = answer.usageMetadata.promptTokenCount }, modelVersion = answer.modelVersion,
      responseId = answer.responseId }
  end
  for _, part in ipairs(candidate.content.parts) do
    for _, piece in ipairs(part.text and vendor_server.pieces(part.text) or {}) do
      add { text = piece, thought = part.thought }
    end
    if not part.text then add(part) end
  end
  local last = list[#list]
  last.candidates[1].finishReason, last.usageMetadata = candidate.finishReason, answer.usageMetadata
  return (vendor_server.events(list):gsub("\n", "\r\n"))
end

return gemini
