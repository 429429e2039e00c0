--- What literal answers with: words, one tool call, or a refusal.
local answers = {}

---@class deskpilot.literal.answer
---@field content string
---@field calls { name: string, arguments: table }[]?
---@field refusal string?

--- Words alone.
---@param content string
---@return deskpilot.literal.answer
function answers.say(content)
  return { content = content }
end

--- One tool call.
---@param content string
---@param name string
---@param arguments table
---@return deskpilot.literal.answer
function answers.call(content, name, arguments)
  return { content = content, calls = { { name = name, arguments = arguments } } }
end

--- A sentence for why it cannot or will no longer go on.
---@param sentence string
---@return deskpilot.literal.answer
function answers.refuse(sentence)
  return { content = sentence, refusal = sentence }
end

return answers
