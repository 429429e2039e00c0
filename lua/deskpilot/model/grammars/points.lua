--- An answer that is nothing but a place: {"bbox_2d": [1, 2, 3, 4], "label": "Save"} (Qwen, Doubao), [[1, 2, 3, 4]]
--- (InternVL), <box>, <point>1 2</point>, <|box_start|>, {"x": 1, "y": 2} (Holo), (1, 2) (GTA1, UI-Ins). It becomes the
--- call `point` with a `position`. Lists and pairs without a mark count only where the model's profile names this
--- grammar.
local points = require "deskpilot.model.points"
local values = require "deskpilot.model.values"

local nowhere = "there is no place in it that can be used"

local function add(found, position, label)
  local numbers = points.read(position)
  if numbers then found:add("point", { position = numbers, label = label })
  else found:broken("", nowhere, "point") end
end

-- The text without Markdown around it, and without what a prompt's reference leaves in front.
local function bare(source)
  source = source:match("^%s*```%w*[ \t]*\r?\n([^`]*)```%s*$") or source
  return source:match("^%s*<ref>[^<]*</ref>(.*)$") or source
end

local function tagged(source)
  for open, close in pairs { ["<point>"] = "</point>", ["<box>"] = "</box>", ["<bbox>"] = "</bbox>",
    ["<|box_start|>"] = "<|box_end|>" } do
    local first, last = source:find(open, 1, true)
    local stop, after = source:find(close, (last or #source) + 1, true)
    if stop and not source:find("%S", after + 1) and source:sub(1, first - 1):find("^%s*$") then
      return source:sub(last + 1, stop - 1)
    end
  end
end

-- An object that holds a place, or the only one of a list; "many" where there are several.
local function marked(value)
  if type(value) ~= "table" then return nil end
  if value[1] == nil then return points.held(value) end
  if type(value[1]) ~= "table" or value[1][1] ~= nil then return nil end
  if #value > 1 and points.held(value[1]) then return "many" end
  return points.held(value[1])
end

---@type deskpilot.model.grammar
return {
  name = "points",
  style = "place",
  take = function(source, found, named)
    local inner = bare(source)
    local place = tagged(inner)
    if place then
      add(found, place)
      return ""
    end
    if not inner:find("^%s*[{%[(]") then return source end
    local value, after = values.at(inner, 1, found.repairs)
    if type(value) ~= "table" or inner:find("[^%s.]", after) then return source end
    local position, label = marked(value)
    if position == "many" then
      found:broken(inner, "it names several places: name one", "point")
    elseif position ~= nil then
      add(found, position, label)
    elseif value[1] == "bbox_2d" or value[1] == "point_2d" then
      found:broken(inner, nowhere, "point")
    elseif named and (points.read(value) or value[1] ~= nil and type(value[1]) ~= "table") then
      add(found, value)
    else
      return source
    end
    return ""
  end,
}
