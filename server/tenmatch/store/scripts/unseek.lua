#!lua flags=allow-oom
-- This only takes away.
--
-- Let a player seek no longer, unless a match is being made for them.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  who waits in the queue (zset)
-- ARGV[1]  player
-- ARGV[2]  ticket of the connection, '' for whichever
--
-- Answers {TIME in ms, room}: that of the match that is being made, else ''.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local noted = redis.call('HGET', KEYS[1], ARGV[1])
local entry = noted and cmsgpack.unpack(noted)
if not entry or (ARGV[2] ~= '' and entry[2] ~= ARGV[2]) then
  return {now, ''}
end
if entry[8] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return {now, entry[8]}
