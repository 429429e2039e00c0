std = "lua54"
max_line_length = 120
ignore = { "212/self", "212/_.*" }
