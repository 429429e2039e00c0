std = "lua54"
max_line_length = 120
ignore = { "212/self", "212/_.*" }
files["lua/types"] = { ignore = { "212", "241", "631" } } -- made by ./dev docs; nothing in them runs
