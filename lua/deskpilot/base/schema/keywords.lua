--- The keywords of JSON Schema 2020-12: what each takes as its value, and the order in which a schema is written.
local keywords = {}

--- What a keyword takes: "schema", "schemas" (a list), "schema_map", or one of the plain kinds that
--- deskpilot.base.schema.check knows.
---@type table<string, string>
keywords.takes = {
  -- any value
  type = "types", enum = "values", const = "any", ["$ref"] = "text", ["$dynamicRef"] = "text",
  allOf = "schemas", anyOf = "schemas", oneOf = "schemas", ["not"] = "schema",
  ["if"] = "schema", ["then"] = "schema", ["else"] = "schema",
  -- numbers
  minimum = "number", maximum = "number", exclusiveMinimum = "number", exclusiveMaximum = "number",
  multipleOf = "positive",
  -- strings
  minLength = "count", maxLength = "count", pattern = "pattern",
  -- arrays
  prefixItems = "schemas", items = "schema", contains = "schema", minContains = "count", maxContains = "count",
  minItems = "count", maxItems = "count", uniqueItems = "boolean", unevaluatedItems = "schema",
  -- objects
  properties = "schema_map", patternProperties = "pattern_map", additionalProperties = "schema",
  propertyNames = "schema", required = "names", minProperties = "count", maxProperties = "count",
  dependentRequired = "names_map", dependentSchemas = "schema_map", unevaluatedProperties = "schema",
  -- said of a schema, and not checked in values
  ["$defs"] = "schema_map", definitions = "schema_map", ["$id"] = "text", ["$schema"] = "text", ["$anchor"] = "text",
  ["$dynamicAnchor"] = "text", ["$vocabulary"] = "any", ["$comment"] = "text", title = "text", description = "text",
  default = "any", examples = "any", deprecated = "boolean", readOnly = "boolean", writeOnly = "boolean",
  format = "text", contentEncoding = "text", contentMediaType = "text", contentSchema = "schema",
}

--- The keywords that a schema begins with on the wire; the others follow in the order of their names. This is the order
--- of the published examples of tools, and so what models have seen most.
keywords.order = { "$schema", "$id", "type", "title", "description", "enum", "const", "format", "pattern", "minLength",
  "maxLength", "minimum", "maximum", "minItems", "maxItems", "properties", "required", "additionalProperties",
  "prefixItems", "items" }

--- Calls fn(schema, keyword, key) for each schema directly inside `definition`, and puts what it returns in its place
--- in `into`. key: the property's name or the place in the list; nil where the keyword takes one schema.
---@param definition table
---@param into table? a copy of `definition`; if not given, nothing is put anywhere
---@param fn fun(inner: table|boolean, keyword: string, key: any): any
function keywords.each(definition, into, fn)
  for keyword, value in pairs(definition) do
    local takes = keywords.takes[keyword]
    -- `items` was a list before 2020-12, when that meant prefixItems.
    if takes == "schema" and not (keyword == "items" and type(value) == "table" and value[1] ~= nil) then
      local made = fn(value, keyword, nil)
      if into then into[keyword] = made end
    elseif type(value) == "table" and (takes == "schemas" or takes == "schema" or takes == "schema_map"
      or takes == "pattern_map") then
      local copy = into and setmetatable({}, getmetatable(value))
      for key, inner in pairs(value) do
        local made = fn(inner, keyword, key)
        if copy then copy[key] = made end
      end
      if into then into[keyword] = copy end
    end
  end
end

return keywords
