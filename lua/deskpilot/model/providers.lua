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
return {
  jan = { title = "Jan", endpoint = "http://localhost:1337/v1", start = "jan serve" },
  koboldcpp = { title = "KoboldCpp", endpoint = "http://localhost:5001/v1", start = "koboldcpp --model MODEL.gguf" },
  llamacpp = { title = "llama.cpp", endpoint = "http://localhost:8080/v1", start = "llama-server -hf MODEL" },
  lmstudio = { title = "LM Studio", endpoint = "http://localhost:1234/v1", start = "lms server start",
    get = "lms get MODEL" },
  ollama = { title = "Ollama", endpoint = "http://localhost:11434/v1", start = "ollama serve",
    get = "ollama pull MODEL", model = "qwen2.5vl" },
  openai = { title = "OpenAI", endpoint = "https://api.openai.com/v1", key = "OPENAI_API_KEY" },
  openrouter = { title = "OpenRouter", endpoint = "https://openrouter.ai/api/v1", key = "OPENROUTER_API_KEY" },
  sglang = { title = "SGLang", endpoint = "http://localhost:30000/v1", start = "sglang serve --model-path MODEL" },
  vllm = { title = "vLLM", endpoint = "http://localhost:8000/v1", start = "vllm serve MODEL" },
}
