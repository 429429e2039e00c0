return {
  about = "GLM-4.1V, GLM-4.5V and GLM-4.6V",
  models = { "*glm-4.1v*", "*glm-4.5v*", "*glm-4.6v*", "*glm-4v*" },
  space = { kind = "scaled", max = 999 },
  tools = "text", grammar = "glm", vocabulary = "glm", reasoning = "reasoning_content",
}
