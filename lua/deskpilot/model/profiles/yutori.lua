return {
  about = "Yutori n1",
  models = { "*yutori*", "n1-*" },
  space = { kind = "scaled", max = 1000 },
  picture = { width = 1280, height = 800 },
  vocabulary = "yutori",
}
