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
    wire = { type = "string", choices = { "chat", "responses", "anthropic", "gemini" }, about = "the protocol that the "
      .. "server speaks; unless set, the model's own at one of the servers of `model.provider` that speaks it, or else "
      .. "chat: OpenAI's Chat Completions" },
    api_key_file = { type = "secret_file", environment = { "DESKPILOT_API_KEY", "OPENAI_API_KEY" },
      about = "file whose first line is the API key" },
    timeout = { type = "number", default = 240, min = 0.1, about = "seconds to wait for one reply" },
    stall = { type = "number", default = 60, min = 0.1, about = "seconds without a byte in the middle of a reply, "
      .. "after which it is asked for once more" },
    stream = { type = "string", default = "auto", choices = { "auto", "on", "off" }, about = "whether replies are "
      .. "asked for as streams: auto where nothing is lost by it" },
    connect_timeout = { type = "number", default = 10, min = 0.1, about = "seconds to wait for a connection" },
    max_images = { type = "integer", default = 0, min = 0, about = "most pictures of one request: the screen, then the "
      .. "latest of the others (0: any number)" },
    fallback = { type = "list", default = {}, about = "models that are asked, in this order, when the one before "
      .. "cannot be reached, has used up its quota or keeps failing: `MODEL`, or `MODEL at SERVER` with a provider's "
      .. "name or an address" },
    retries = { type = "integer", default = 3, min = 0, max = 100, about = "tries after a failed request" },
    retry_delay = { type = "number", min = 0, max = 60, about = "seconds before each of these; unless it is set 0.5, "
      .. "then 1, then 2" },
  } },
  { options = {
    models = { type = "entries", about = "what is different about a model, by its name: each option takes the place of "
      .. "what its profile (model/profiles/) says", fields = {
      profile = { type = "string", about = "its profile, where its name does not tell" },
      space = { type = "string", choices = { "scaled", "pixels", "resized", "display" }, about = "what its positions "
        .. "are counted in: from 0 to `space_max`; pixels of the picture; pixels after its own resizing; pixels of a "
        .. "display whose size it is told" },
      space_max = { type = "number", min = 1, about = "of scaled: what stands for the far edge (1000, 999, 1)" },
      factor = { type = "integer", min = 1, about = "of resized: what the sides are multiples of" },
      min_pixels = { type = "integer", min = 1, about = "of resized: the least area" },
      max_pixels = { type = "integer", min = 1, about = "of resized: the largest area" },
      display_width = { type = "integer", min = 1, about = "of display: its width" },
      display_height = { type = "integer", min = 1, about = "of display: its height" },
      order = { type = "string", choices = { "xy", "yx" }, about = "which number of a point comes first" },
      box_order = { type = "string", choices = { "xyxy", "yxyx" }, about = "and of a box" },
      picture_width = { type = "integer", min = 64, max = 8192, about = "widest picture that it is sent" },
      picture_height = { type = "integer", min = 64, max = 8192, about = "highest picture that it is sent" },
      picture_factor = { type = "integer", min = 1, max = 64, about = "what the picture's sides are multiples of" },
      picture_format = { type = "string", choices = { "png", "jpeg" }, about = "format of its pictures" },
      pictures = { type = "integer", min = 1, about = "most pictures of one request" },
      wire = { type = "string", choices = { "chat", "responses", "anthropic", "gemini" },
        about = "the protocol in which it is asked, as `model.wire`" },
      computer = { type = "string", choices = { "none", "computer", "computer_use_preview",
        "computer_toolset_20260801", "computer_20251124", "desktop", "browser" },
        about = "its maker's own tool for screen, pointer and keys, which is offered beside ours" },
      tools = { type = "string", choices = { "native", "text" }, about = "how tools are offered: as the protocol has "
        .. "it, or described in the system prompt" },
      grammar = { type = "string", about = "how its answers are written, where tools are text" },
      vocabulary = { type = "string", about = "its own names of acts" },
      tool_choice = { type = "boolean", about = "whether a choice of tool may be sent" },
      parallel = { type = "boolean", about = "whether several calls in one answer are meant to be done" },
      refuses = { type = "list", about = "parameters that are never sent" },
      context = { type = "integer", min = 1, about = "tokens that it can take" },
      input_price = { type = "number", min = 0, about = "US dollars for a million tokens of input" },
      output_price = { type = "number", min = 0, about = "US dollars for a million tokens of output" },
      cached_price = { type = "number", min = 0, about = "US dollars for a million cached tokens of input" },
    } },
  } },
}
