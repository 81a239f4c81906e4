#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full.
--
-- Let a player seek no longer; who is paired stays so.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  who waits in the queue (zset)
-- KEYS[3]  that the player wanted it no longer (string): nobody is to put them back
-- ARGV[1]  player
-- ARGV[2]  node whose connection has ended, '' where the player wants it so, wherever they seek
-- ARGV[3]  for how many ms that is kept which the player wants
--
-- Answers {TIME in ms, room}: that of their pairing, else ''.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local noted = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] == '' then
  redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
end
local entry = noted and cmsgpack.unpack(noted)
if not entry or (ARGV[2] ~= '' and entry[2] ~= ARGV[2]) then
  return {now, ''}
end
if entry[8] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return {now, entry[8]}
