return {
  about = "GTA1",
  models = { "*gta1*" },
  space = { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 12845056 },
  picture = { factor = 28 },
  tools = "text", grammar = "points",
}
