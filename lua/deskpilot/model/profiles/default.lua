return {
  about = "models that no other profile knows",
  models = {  },
  space = { kind = "pixels" },
}
