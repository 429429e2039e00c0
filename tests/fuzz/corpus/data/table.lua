return {
  name = "x", ["key"] = { 1, 2.5, -0x1p4, [[long
]], true, nil, [-3] = false },
  -- a comment
  "a\n\x41\u{20AC}\z   b", 'c'; --[==[ more ]==]
}
