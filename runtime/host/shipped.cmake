# What ships inside the program: Lua files and scripts of pages, prompts, missions and the pages beside them.
set(SHIPPED_PATTERNS lua/*.lua lua/*.js lua/*.css prompts/*.md missions/*.lua missions/*.html)
# The cookbook is read and copied, and run as files of the user's.
set(SHIPPED_NOT "/?missions/cookbook/")
