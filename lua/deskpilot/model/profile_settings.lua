--- What the configuration says of a model (`models.NAME`): options that take the place of single fields of its profile.
local profile_settings = {}

-- An option of `models.NAME` and the field that it sets.
local paths = {
  space = { "space", "kind" }, space_max = { "space", "max" }, factor = { "space", "factor" },
  min_pixels = { "space", "min_pixels" }, max_pixels = { "space", "max_pixels" },
  display_width = { "space", "width" }, display_height = { "space", "height" },
  picture_width = { "picture", "width" }, picture_height = { "picture", "height" },
  picture_factor = { "picture", "factor" }, picture_format = { "picture", "format" },
  pictures = { "picture", "max" },
  input_price = { "prices", "input" }, output_price = { "prices", "output" }, cached_price = { "prices", "cached" },
  order = { "order" }, box_order = { "box_order" }, wire = { "wire" }, computer = { "computer" },
  tools = { "tools" }, grammar = { "grammar" },
  vocabulary = { "vocabulary" }, tool_choice = { "tool_choice" }, parallel = { "parallel" }, context = { "context" },
  refuses = { "refuses" },
}

--- The options of a model as the fields of a profile.
---@param own table
---@return table
function profile_settings.fields(own)
  local result = {}
  for option, value in pairs(own) do
    local path = paths[option]
    if path and path[2] then
      result[path[1]] = result[path[1]] or {}
      result[path[1]][path[2]] = value
    elseif path then
      result[path[1]] = value
    end
  end
  return result
end

--- The configuration of a model, by its name whatever the case; an empty table where there is none.
---@param model string
---@param models table<string, table>? the configuration's `models`
---@return table
function profile_settings.of(model, models)
  for name, own in pairs(models or {}) do
    if name:lower() == model:lower() then return own end
  end
  return {}
end

return profile_settings
