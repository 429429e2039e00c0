--- The storms, in the order in which they come.
local storms = {}
for i, name in ipairs { "malloc", "calls", "disk", "signals", "surroundings", "clock", "descriptors", "eyes" } do
  storms[i] = require("torture.storm_" .. name)
  storms[i].name = name
end
return storms
