#!lua
-- Let a player seek an opponent, instead of what they sought before; who is paired stays so.
--
-- KEYS[1]  who seeks (hash)
-- KEYS[2]  who waits in the queue (zset): player by place, the lowest is served first
-- ARGV[1]  player
-- ARGV[2]  node whose connection seeks for the player
-- ARGV[3]  queue
-- ARGV[4]  for how many ms it counts, unless said again (seeking.lua)
-- ARGV[5]  since when, in ms, if the player is not noted in this queue; '' is now
-- ARGV[6]  1 for a place ahead of all who have none such, else 0
-- ARGV[7]  name
-- ARGV[8]  rating
--
-- The hash: player → MessagePack of {queue, node, since, ahead, until, name, rating, room}, all moments in ms; room is
-- '' for one who waits, else that of the pairing. Who waits is in the set of that queue; what else is there is dropped
-- when it is read (waiting.lua).
--
-- Answers {TIME in ms, 'waiting' or 'paired', room, since}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local noted = redis.call('HGET', KEYS[1], ARGV[1])
local before = noted and cmsgpack.unpack(noted)
if before and before[8] ~= '' then  -- what was said then holds
  before[2], before[5] = ARGV[2], now + ARGV[4]
  redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(before))
  return {now, 'paired', before[8], before[3]}
end
local since, ahead = tonumber(ARGV[5]) or now, tonumber(ARGV[6])
if before and before[1] == ARGV[3] then
  since, ahead = before[3], before[4]
end
local entry = {ARGV[3], ARGV[2], since, ahead, now + ARGV[4], ARGV[7], tonumber(ARGV[8]), ''}
redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(entry))
redis.call('ZADD', KEYS[2], since - ahead * 1e13, ARGV[1])
return {now, 'waiting', '', since}
