-- Model servers by name, for --provider NAME and model.provider. This file is data: it is read, never run. A copy in
-- deskpilot/model/providers.lua of the folder of the user's configuration stands in its place (`deskpilot eject
-- providers`); none of a project's does, because it decides to which address a key is sent.
--
--   title     what the program is called
--   endpoint  its address as it is installed
--   start     what starts it
--   get       what fetches a model; MODEL stands for its name
--   model     the model that is asked for unless somebody has named one
--   key       the variable that holds its API key, beside DESKPILOT_API_KEY
--   stream    "text": it loses the calls of tools in answers that come as streams, so none are asked for with tools
--   wires     the protocols that it speaks, where they are others than Chat Completions ("chat") alone: a model's own,
--             as its profile says, where it is among them, or else the first
return {
  anthropic = { title = "Anthropic", endpoint = "https://api.anthropic.com/v1", key = "ANTHROPIC_API_KEY",
    wires = { "anthropic" } },
  gemini = { title = "Google Gemini", endpoint = "https://generativelanguage.googleapis.com/v1beta",
    key = "GEMINI_API_KEY", wires = { "gemini" } },
  jan = { title = "Jan", endpoint = "http://localhost:1337/v1", start = "jan serve" },
  koboldcpp = { title = "KoboldCpp", endpoint = "http://localhost:5001/v1", start = "koboldcpp --model MODEL.gguf" },
  llamacpp = { title = "llama.cpp", endpoint = "http://localhost:8080/v1", start = "llama-server -hf MODEL" },
  lmstudio = { title = "LM Studio", endpoint = "http://localhost:1234/v1", start = "lms server start",
    get = "lms get MODEL" },
  ollama = { title = "Ollama", endpoint = "http://localhost:11434/v1", start = "ollama serve",
    get = "ollama pull MODEL", model = "qwen2.5vl", stream = "text" },
  openai = { title = "OpenAI", endpoint = "https://api.openai.com/v1", key = "OPENAI_API_KEY",
    wires = { "chat", "responses" } },
  openrouter = { title = "OpenRouter", endpoint = "https://openrouter.ai/api/v1", key = "OPENROUTER_API_KEY" },
  sglang = { title = "SGLang", endpoint = "http://localhost:30000/v1", start = "sglang serve --model-path MODEL" },
  vllm = { title = "vLLM", endpoint = "http://localhost:8000/v1", start = "vllm serve MODEL" },
}
