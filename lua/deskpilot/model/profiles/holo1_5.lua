return {
  about = "Holo1.5",
  models = { "*holo1.5*", "*holo-1.5*", "*holo1-5*", "*holo1_5*" },
  space = { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 12845056 },
  picture = { factor = 28 },
}
