--- The options of the model client.
return {
  { section = "model", options = {
    endpoint = { type = "string", default = "http://localhost:1234/v1", environment = "DESKPILOT_ENDPOINT",
      about = "address of the OpenAI-compatible model server" },
    provider = { type = "string", environment = "DESKPILOT_PROVIDER",
      about = "a model server by its name, such as `ollama`: its address, where `model.endpoint` is not set in the "
        .. "same place or a stronger one" },
    name = { type = "string", default = "qwen3-vl-2b-instruct", environment = "DESKPILOT_MODEL",
      about = "the model asked for" },
    api_key_file = { type = "secret_file", environment = { "DESKPILOT_API_KEY", "OPENAI_API_KEY" },
      about = "file whose first line is the API key" },
    timeout = { type = "number", default = 240, min = 0.1, about = "seconds to wait for one reply" },
    connect_timeout = { type = "number", default = 10, min = 0.1, about = "seconds to wait for a connection" },
    max_images = { type = "integer", default = 0, min = 0, about = "most pictures of one request: the screen, then the "
      .. "latest of the others (0: any number)" },
    retries = { type = "integer", default = 3, min = 0, max = 100, about = "tries after a failed request" },
  } },
}
