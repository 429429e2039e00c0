-- Profiles of models: what one may hold, which model has which, and what the configuration changes.
local t = require "harness"
local client = require "deskpilot.model.client"
local configured = require "configured"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local profile = require "deskpilot.model.profile"
local spawn = require "spawn"

local tests = {}

local function with(more)
  return profile.read("probe", ([[{ about = "a probe", space = { kind = "pixels" }, %s }]]):format(more or ""), "FILE")
end

local function refused(part, found, err)
  t.eq(found, nil)
  t.eq(err and err.code, "invalid")
  t.has(tostring(err), "FILE")
  t.has(tostring(err), part)
end

function tests.what_is_wrong_is_said()
  local good = t.ok(with())
  t.eq({ good.order, good.box_order, good.wire, good.tools }, { "xy", "xyxy", "chat", "native" })
  refused("ordr is not known here; did you mean 'order'?", with 'ordr = "xy"')
  refused("order is 'yz', but must be xy or yx", with 'order = "yz"')
  refused("picture.width is 10, but must be a whole number from 64", with "picture = { width = 10 }")
  refused("picture.widht is not known here; did you mean 'picture.width'?", with "picture = { widht = 100 }")
  refused("picture is 'small', but must be a table", with 'picture = "small"')
  refused("grammar is 'tool_cal', but must be tool_call or", with 'grammar = "tool_cal"')
  refused("vocabulary is 'qwem', but must be common or", with 'vocabulary = "qwem"')
  refused("models is a table, but must be a list of texts", with "models = { 1 }")
  refused("tool_choice is 'no', but must be true or false", with 'tool_choice = "no"')
  refused("renames is a table, but must be a table of names", with "renames = { 'a' }")
  refused("prices.input is -1, but must be a price", with "prices = { input = -1, output = 1 }")
  refused("prices.input or prices.output is missing", with "prices = { input = 1 }")
  refused("is not a value", with 'about = os.getenv "HOME"')
  local function space(words)
    return profile.read("probe", ([[{ about = "a probe", space = { %s } }]]):format(words), "FILE")
  end
  refused("space.kind is missing", space "")
  refused("space.max is missing", space 'kind = "scaled"')
  refused("the rule of the resizing", space 'kind = "resized", factor = 28')
  refused("min_pixels is more than", space 'kind = "resized", factor = 28, min_pixels = 100, max_pixels = 10')
  refused("space.kind is 'pixel', but must be scaled or pixels", space 'kind = "pixel"')
  refused("go together", space 'kind = "display", width = 100')
  refused("about is missing", profile.read("probe", '{ space = { kind = "pixels" } }', "FILE"))
end

-- What a server is asked for: with the maker's name before it, a quantization behind it, in any case.
local named = {
  ["qwen2.5-vl-7b-instruct"] = "qwen2_5_vl", ["Qwen/Qwen2.5-VL-72B-Instruct-AWQ"] = "qwen2_5_vl",
  ["qwen2.5vl"] = "qwen2_5_vl", ["qwen2.5vl:32b"] = "qwen2_5_vl",
  ["qwen3-vl-2b-instruct"] = "qwen3_vl", ["qwen3-vl:8b"] = "qwen3_vl", ["qwen/qwen3.6-plus"] = "qwen3_vl",
  ["UI-TARS-7B-DPO"] = "ui_tars", ["ByteDance-Seed/UI-TARS-1.5-7B"] = "ui_tars_1_5", ["ui-tars-2"] = "ui_tars_2",
  ["doubao-1-5-ui-tars-250428"] = "ui_tars", ["doubao-seed-1-6-250615"] = "doubao_seed",
  ["zai-org/GLM-4.5V"] = "glm_v", ["glm-4.1v-9b-thinking"] = "glm_v", ["autoglm-phone-9b"] = "autoglm",
  ["gemini-2.5-computer-use-preview-10-2025"] = "gemini", ["google/gemini-3.1-pro"] = "gemini",
  ["gemini-3.5-flash"] = "gemini_3_5", ["gemini-2.5-flash-lite"] = "gemini_2",
  ["gpt-4o"] = "openai", ["gpt-5-mini"] = "openai", ["o3"] = "openai",
  ["gpt-5.4"] = "gpt_5_4", ["openai/gpt-5.4-mini"] = "gpt_5_4", ["computer-use-preview"] = "computer_use_preview",
  ["claude-sonnet-4-5"] = "claude", ["anthropic/claude-opus-4.8"] = "claude", ["claude-opus-5-5"] = "claude_5",
  ["Hcompany/Holo1.5-7B"] = "holo1_5", ["holo2-8b"] = "holo2", ["xlangai/OpenCUA-7B"] = "opencua",
  ["GTA1-7B"] = "gta1", ["UI-Ins-7B"] = "ui_ins", ["Gelato-30B-A3B"] = "gelato", ["EvoCUA-32B"] = "evocua",
  ["GUI-Owl-1.5-8B"] = "gui_owl", ["MAI-UI-8B"] = "mai_ui", ["microsoft/Fara-7B"] = "fara",
  ["InternVL3_5-8B"] = "internvl", ["moondream3-preview"] = "moondream", ["kimi-k2.6"] = "kimi",
  ["yutori-n1"] = "yutori", ["llava:13b"] = "default", ["literally-anything"] = "default", [""] = "default",
}

function tests.every_model_has_its_profile()
  local page = t.ok(files.read "docs/models.md")
  local seen = { default = true, literal = true }
  for model, wanted in pairs(named) do
    local found = t.ok(profile.of(model))
    t.eq(found.name, wanted, model)
    seen[wanted] = true
  end
  for _, one in ipairs(t.ok(profile.all())) do
    t.ok(seen[one.name], "no name of a model leads to the profile " .. one.name)
    t.has(page, "`" .. one.name .. "`", "docs/models.md tells of it")
    t.eq(one.where, "shipped:deskpilot/model/profiles/" .. one.name .. ".lua")
  end
  t.eq(profile.of("default").name, "default", "a name is no pattern")
end

function tests.a_client_has_the_profile_of_its_model()
  t.eq(t.ok(client.new { model = "qwen2.5-vl-7b" }).profile.name, "qwen2_5_vl")
  t.eq(t.ok(client.new { model = "something-new" }).profile.space.kind, "pixels")
  t.eq(t.ok(client.new { model = "literal" }).profile.space.max, 1000)
end

function tests.the_configuration_changes_single_fields()
  local config = t.ok(configured.resolve { user = { models = {
    ["My/Qwen2.5-VL-7B"] = { max_pixels = 1003520, parallel = true, refuses = { "seed" }, input_price = 0.2,
      output_price = 0.6 },
    ["house-model"] = { profile = "qwen3_vl", picture_format = "jpeg" },
    ["other-model"] = { space = "scaled" }, ["last-model"] = { profile = "qwen3_v" },
  } } })
  local models = config:get "models"
  local found = t.ok(client.new { model = "my/qwen2.5-vl-7b", models = models }).profile
  t.eq(found.space, { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 1003520 })
  t.eq({ found.parallel, found.refuses, found.prices }, { true, { "seed" }, { input = 0.2, output = 0.6 } })
  t.eq(profile.of("qwen2.5-vl-7b").space.max_pixels, 12845056, "a shipped profile stays as it is")
  found = t.ok(profile.of("house-model", models))
  t.eq({ found.name, found.space.max, found.picture.format, found.picture.factor }, { "qwen3_vl", 1000, "jpeg", 32 })
  local function wrong(model, part)
    local none, err = client.new { model = model, models = models }
    t.eq({ none, err and err.code }, { nil, part:find("^there") and "not_found" or "invalid" })
    t.has(tostring(err), part)
  end
  wrong("other-model", "models.other-model: space.max is missing")
  wrong("last-model", "there is no profile named 'qwen3_v'; did you mean 'qwen3_vl'?")
  local _, err = configured.resolve { user = { models = { m = { space = "pixel" } } } }
  t.has(tostring(err), "models.m.space is 'pixel'")
end

-- A project's file stands in place of the shipped one, and one for a single model goes before its family's.
function tests.own_profiles_go_first()
  local folder = spawn.folder()
  local function write(name, words)
    local path = files.join(folder, "deskpilot", "model", "profiles", name .. ".lua")
    assert(files.make_folder((files.split(path))))
    assert(files.write(path, words))
  end
  local ok, why = xpcall(function()
    lookup.set_roots { project_folder = folder }
    write("claude", [[return { about = "mine", models = { "*claude*" }, space = { kind = "scaled", max = 1000 } }]])
    write("mine", [[return { about = "mine", models = { "qwen2.5-vl-7b", "*moondream*" },
      space = { kind = "pixels" } }]])
    t.eq(profile.of("claude-sonnet-4-5").space.max, 1000)
    t.eq(profile.of("qwen2.5-vl-7b").name, "mine")
    t.eq(profile.of("qwen2.5-vl-3b").name, "qwen2_5_vl")
    t.eq(profile.of("moondream3").name, "mine", "of patterns that fit as well")
    write("mine", "return { about = 'mine', space = { kind = 'cubits' } }")
    local found, err = profile.of "llava"
    t.eq(found, nil)
    t.has(tostring(err), "mine.lua: space.kind is 'cubits', but must be scaled or pixels or resized or display")
  end, debug.traceback)
  lookup.set_roots {}
  files.remove(folder)
  if not ok then error(why, 0) end
end

-- Ejected, it is the file that decides.
function tests.an_ejected_profile_is_used()
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "eject", "qwen2_5_vl" }, { cwd = folder })
  t.eq({ child.status, child.stderr:find("error") }, { 0, nil })
  local path = files.join(folder, "deskpilot", "model", "profiles", "qwen2_5_vl.lua")
  local source = t.ok(files.read(path))
  t.has(source, 'kind = "resized"')
  assert(files.write(path, (source:gsub("factor = 28", "factor = 14"))))
  lookup.set_roots { project_folder = folder }
  local found, err = profile.of "qwen2.5-vl-7b"
  lookup.set_roots {}
  files.remove(folder)
  t.ok(found, err)
  t.eq(found.space.factor, 14)
end

return tests
