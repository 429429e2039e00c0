-- Keys and signatures in minisign's files, judged by minisign itself; and what a mission's signature covers.
local files = require "deskpilot.base.files"
local image = require "native.image"
local minisign = require "deskpilot.fleet.minisign"
local spawn = require "spawn"
local t = require "harness"
local trust = require "deskpilot.fleet.trust"

local tests = {}

-- Runs minisign; its words.
local function tool(...)
  local ended = spawn.run { "minisign", ... }
  return ended.status == 0, ended.stdout .. ended.stderr
end

tests.minisign_checks_what_we_sign = spawn.in_folder(function(folder)
  local public, secret, id = minisign.new_keys()
  assert(files.write(folder .. "/k.pub", public))
  assert(files.write(folder .. "/k.key", secret))
  assert(files.write(folder .. "/m", "a mission"))
  local key = assert(minisign.read_secret(secret))
  t.eq(key.id, id)
  assert(files.write(folder .. "/m.minisig", minisign.sign(key, "a mission", "a comment")))
  local ok, said = tool("-V", "-p", folder .. "/k.pub", "-m", folder .. "/m")
  t.ok(ok, said)
  t.has(said, "a comment")
  assert(files.write(folder .. "/m", "b mission"))
  t.ok(not tool("-V", "-p", folder .. "/k.pub", "-m", folder .. "/m"), "another text")
  -- And it signs with our key.
  t.ok(tool("-S", "-W", "-s", folder .. "/k.key", "-m", folder .. "/m"))
  local signature = assert(files.read(folder .. "/m.minisig"))
  t.ok(minisign.verify({ assert(minisign.read_public(public)) }, "b mission", signature))
end)

tests.we_check_what_minisign_signs = spawn.in_folder(function(folder)
  local ok, said = tool("-G", "-W", "-p", folder .. "/k.pub", "-s", folder .. "/k.key")
  t.ok(ok, said)
  assert(files.write(folder .. "/m", "a mission"))
  t.ok(tool("-S", "-W", "-s", folder .. "/k.key", "-m", folder .. "/m", "-t", "for all"))
  local public = assert(minisign.read_public(assert(files.read(folder .. "/k.pub"))))
  t.has(assert(files.read(folder .. "/k.pub")), public.id)
  local signature = assert(files.read(folder .. "/m.minisig"))
  t.eq(minisign.verify({ public }, "a mission", signature), "for all")
  local key = assert(minisign.read_secret(assert(files.read(folder .. "/k.key"))))
  t.eq(minisign.verify({ public }, "x", minisign.sign(key, "x", "c")), "c")
  local bare = image.base64(image.from_base64((assert(files.read(folder .. "/k.pub")):match "\n(.-)\n")))
  t.eq(assert(minisign.read_public(bare)).key, public.key, "the line alone, as after minisign -P")
end)

function tests.what_is_not_signed_so_is_refused()
  local public, secret = minisign.new_keys()
  local other_public = minisign.new_keys()
  local key, ours = assert(minisign.read_secret(secret)), assert(minisign.read_public(public))
  local others = assert(minisign.read_public(other_public))
  local signature = minisign.sign(key, "text", "comment")
  t.eq(minisign.verify({ others, ours }, "text", signature), "comment")
  local function refused(words, keys, message, given)
    local ok, err = minisign.verify(keys, message, given)
    t.ok(not ok)
    t.has(tostring(err), words)
  end
  refused("which is not trusted here", { others }, "text", signature)
  refused("which is not trusted here", {}, "text", signature)
  refused("it is not what the key", { ours }, "texT", signature)
  refused("it is not what the key", { ours }, "text", (signature:gsub("comment\n(.*)$", "Comment\n%1")))
  for _, wrong in ipairs { "", "x", ("x\n"):rep(4), signature:sub(1, -6), ("y"):rep(100000) } do
    refused("no signature of minisign's", { ours }, "text", wrong)
  end
  -- Each bit counts: of the signature and of the one over all.
  local lines = {}
  for line in signature:gmatch "[^\n]+" do lines[#lines + 1] = line end
  for _, at in ipairs { 2, 4 } do
    local bytes = image.from_base64(lines[at])
    for i = at == 2 and 11 or 1, #bytes do
      local changed = { table.unpack(lines) }
      changed[at] = image.base64(bytes:sub(1, i - 1) .. string.char(bytes:byte(i) ~ 1) .. bytes:sub(i + 1))
      refused("it is not what the key", { ours }, "text", table.concat(changed, "\n"))
    end
  end
end

tests.what_is_no_key_is_said = spawn.in_folder(function(folder)
  local public, secret = minisign.new_keys()
  local function says(words, reader, given)
    local path = folder .. "/key"
    assert(files.write(path, given))
    local _, err = reader(path)
    t.has(tostring(err), "key: that is no")
    t.has(tostring(err), words)
  end
  local function one(path) return trust.keys { path } end
  says("public key", one, "")
  says("public key", one, "nonsense\n")
  says("it is the secret one, which workers are not to have", one, secret)
  says("it is the public one", trust.signer, public)
  says("secret key", trust.signer, public:sub(1, 30))
  local bytes = image.from_base64((secret:match "\n(.-)\n"))
  local head = secret:match "^[^\n]*\n"
  says("which `minisign -C -W -s FILE` takes off", trust.signer,
    head .. image.base64(bytes:sub(1, 2) .. "Sc" .. bytes:sub(5)) .. "\n")
  says("do not belong together", trust.signer,
    head .. image.base64(bytes:sub(1, 62) .. ("\1"):rep(32) .. bytes:sub(95)) .. "\n")
  t.has(tostring(select(2, trust.signer(folder .. "/nothing"))), "cannot read " .. folder .. "/nothing")
end)

-- Everything that decides what runs and where.
function tests.a_missions_signature_covers_all_of_it()
  local public, secret = minisign.new_keys()
  local keys, key = { assert(minisign.read_public(public)) }, assert(minisign.read_secret(secret))
  local function made()
    local record = { mission = "a.lua", bundle = ("0"):rep(64), args = { "a=1\nx", "b" }, tags = { "linux" } }
    trust.sign(key, "abc", record)
    return record
  end
  t.ok(trust.check(keys, "abc", made()))
  local function refused(words, change, id)
    local record = made()
    change(record)
    local ok, err = trust.check(keys, id or "abc", record)
    t.ok(not ok)
    t.eq(err.code, "refused")
    t.has(tostring(err), words)
  end
  local other = "it is not what the key"
  refused(other, function() end, "abd")
  refused(other, function(r) r.mission = "b.lua" end)
  refused(other, function(r) r.bundle = ("1"):rep(64) end)
  refused(other, function(r) r.args[1] = "a=2" end)
  refused(other, function(r) r.args[3] = "" end)
  refused(other, function(r) r.args = { "a=1", "x\nb" } end)
  refused(other, function(r) r.args = { "a=1\nxb" } end)
  refused(other, function(r) r.tags = nil end)
  refused(other, function(r) r.tags[2] = "more" end)
  refused(other, function(r) r.signed = r.signed + 1 end)
  refused("not signed", function(r) r.signature = nil end)
  refused("cannot be read", function(r) r.signature = 7 end)
  refused("cannot be read", function(r) r.args = "a" end)
  refused("cannot be read", function(r) r.args[1] = {} end)
  refused("cannot be read", function(r) r.signed = 1e300 end)
  local function at(time)
    return function(record)
      local now = os.time
      os.time = function() return now() + time end -- luacheck: ignore
      local guard <close> = setmetatable({}, { __close = function() os.time = now end }) -- luacheck: ignore
      assert(guard)
      trust.sign(key, "abc", record)
    end
  end
  refused("submit it again", at(-31 * 24 * 3600))
  refused("submit it again", at(2 * 24 * 3600))
end

return tests
