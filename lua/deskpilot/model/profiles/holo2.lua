return {
  about = "Holo2",
  models = { "*holo2*", "*holo-2*" },
  space = { kind = "scaled", max = 1000 },
  grammar = "points",
}
