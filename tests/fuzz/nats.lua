--- What a NATS server sends: words that are the same whether they come whole or in pieces, within their limits, or a
--- sentence about what is wrong.
local protocol = require "deskpilot.net.nats_protocol"
local values = require "fuzz_values"

local function check(word)
  assert(type(word.kind) == "string", "a word without a kind")
  if word.kind ~= "message" then return end
  local message = word.message
  assert(math.type(word.id) == "integer" and word.id >= 0 and word.id < 1 << 31, "an id")
  assert(not (message.subject .. (message.reply or "")):find "[ \t\n]", "a subject")
  for name, value in pairs(message.headers) do
    assert(type(name) == "string" and type(value) == "string" and not value:find "[\r\n]", "a header")
  end
end

-- All words as a text, and what ended them.
local function read(bytes, size)
  local reader, words = protocol.reader(), {}
  for at = 1, #bytes, size do
    reader:add(bytes:sub(at, at + size - 1))
    while true do
      local word, why = reader:next()
      if why then
        values.sentence(why, 200)
        return table.concat(words, "\n"), why
      end
      if not word then break end
      check(word)
      local message = word.message or {}
      words[#words + 1] = ("%s %s %s %s %q"):format(word.kind, word.words, message.subject, message.reply,
        message.data)
    end
  end
  return table.concat(words, "\n")
end

return function(bytes)
  local words, why = read(bytes, #bytes + 1)
  local in_pieces, why_in_pieces = read(bytes, 1 + #bytes // 9)
  assert(words == in_pieces and (why == nil) == (why_in_pieces == nil), "other words in pieces")
end
