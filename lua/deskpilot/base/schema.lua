--- JSON Schema 2020-12, by which the arguments of tools are declared, sent to models and checked.
---
---   declare   properties in their order, as they are written on the wire
---   check     whether a schema can be used at all; asked when a tool is loaded
---   coerce    corrects what a model clearly meant
---   drop      leaves out what the schema does not know
---   validate  whether a value fits, and if not, a sentence for the model
local declare = require "deskpilot.base.schema.declare"

local schema = {
  declare = declare.declare,
  names = declare.names,
  check = require "deskpilot.base.schema.check".check,
  coerce = require "deskpilot.base.schema.coerce".coerce,
  drop = require "deskpilot.base.schema.unknown".drop,
  validate = require "deskpilot.base.schema.validate".validate,
}

return schema
