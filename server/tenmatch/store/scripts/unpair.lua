#!lua flags=allow-oom
-- What this writes is less than what it takes away. It is written also where memory is full.
--
-- Be done with a pairing: its players seek no longer, or wait again, ahead of all others.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  who waits in the pairing's queue (zset)
-- KEYS[3]  pairings (hash, see pair.lua)
-- KEYS[4]  when somebody must look after them (zset)
-- KEYS[5]  the queue's channel
-- ARGV[1]  room
-- ARGV[2…] players of it who wait again; not those for whom no connection speaks any more
--
-- Answers {TIME in ms, 1 if there was such a pairing, else 0}, and publishes a note of kind 3, see pair.lua.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local kept = redis.call('HGET', KEYS[3], ARGV[1])
if not kept then
  return {now, 0}
end
local again = {}
for i = 2, #ARGV do
  again[ARGV[i]] = true
end
local names = {}
for i, player in ipairs(cmsgpack.unpack(kept)[5]) do
  names[i] = player[1]
  local noted = redis.call('HGET', KEYS[1], names[i])
  local entry = noted and cmsgpack.unpack(noted)
  if entry and entry[8] == ARGV[1] then
    if again[names[i]] and entry[5] >= now then
      entry[4], entry[8] = 1, ''
      redis.call('HSET', KEYS[1], names[i], cmsgpack.pack(entry))
      redis.call('ZADD', KEYS[2], entry[3] - 1e13, names[i])
    else
      redis.call('HDEL', KEYS[1], names[i])
    end
  end
end
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('SPUBLISH', KEYS[5], struct.pack('>BB', 1, 3) .. cmsgpack.pack(names))
return {now, 1}
