return {
  about = "OpenAI computer-use-preview",
  models = { "computer-use-preview*", "openai/computer-use-preview*" },
  space = { kind = "display" },
  wire = "responses", computer = "computer_use_preview", vocabulary = "openai",
  refuses = { "temperature" },
}
