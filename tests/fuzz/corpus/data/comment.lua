return {
  name = "x", ["key"] = { 0, 2.5, -0x1p4, [[e ]==]
long
]n {
{
  name = "xï[»  name
]], true, nil, [-3] = false },
  -- a coÿÿTßF"\n\x41\u{re ]==]
}
