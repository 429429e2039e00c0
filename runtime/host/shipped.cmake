# What ships inside the program: Lua files and scripts of pages, prompts, missions and the pages beside them.
set(SHIPPED_PATTERNS lua/*.lua lua/*.js prompts/*.md missions/*.lua missions/*.html)
