#!lua
-- Pair players, if all of them wait in that queue.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  who waits in the queue (zset)
-- KEYS[3]  pairings (hash)
-- KEYS[4]  when somebody must look after them (zset): room by ms
-- KEYS[5]  the queue's channel
-- ARGV[1]  room, a new name
-- ARGV[2]  queue
-- ARGV[3]  level of the computer player that plays with them, '' for none
-- ARGV[4]  in how many ms somebody must look after it
-- ARGV[5…] players
--
-- The hash: room → MessagePack of {room, queue, when it was made, level, {{player, name, rating}, …}}.
--
-- Answers {TIME in ms, 1 if they are paired, else 0}, and publishes a note of kind 3: the players, as MessagePack.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if redis.call('HGET', KEYS[3], ARGV[1]) then
  return {now, 1}
end
local players, entries = {}, {}
for i = 5, #ARGV do
  local noted = redis.call('HGET', KEYS[1], ARGV[i])
  local entry = noted and cmsgpack.unpack(noted)
  if not entry or entry[1] ~= ARGV[2] or entry[8] ~= '' or entry[5] < now then
    return {now, 0}
  end
  players[#players + 1] = {ARGV[i], entry[6], entry[7]}
  entries[#entries + 1] = entry
end
local names = {}
for i, entry in ipairs(entries) do
  entry[8] = ARGV[1]
  names[i] = players[i][1]
  redis.call('HSET', KEYS[1], names[i], cmsgpack.pack(entry))
  redis.call('ZREM', KEYS[2], names[i])
end
redis.call('HSET', KEYS[3], ARGV[1], cmsgpack.pack({ARGV[1], ARGV[2], now, ARGV[3], players}))
redis.call('ZADD', KEYS[4], now + ARGV[4], ARGV[1])
redis.call('SPUBLISH', KEYS[5], struct.pack('>BB', 1, 3) .. cmsgpack.pack(names))
return {now, 1}
