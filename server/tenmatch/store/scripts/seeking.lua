#!lua flags=allow-oom
-- What this writes takes the place of what was there. It is written also where memory is full.
--
-- Say that a connection of a node still seeks for a player, and hear how that stands.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  that the player wanted it no longer (string, see unseek.lua)
-- ARGV[1]  player
-- ARGV[2]  node
-- ARGV[3]  for how many ms it counts
--
-- Answers {TIME in ms, state, room, since}: state is 'waiting', 'paired' (in that room), 'taken' (the player wanted it no
-- longer, or seeks on another node) or 'gone' (the player is not noted).

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local noted = redis.call('HGET', KEYS[1], ARGV[1])
if not noted then
  return {now, redis.call('GET', KEYS[2]) and 'taken' or 'gone', '', 0}
end
local entry = cmsgpack.unpack(noted)
if entry[2] ~= ARGV[2] then
  return {now, 'taken', '', 0}
end
entry[5] = now + ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(entry))
return {now, entry[8] == '' and 'waiting' or 'paired', entry[8], entry[3]}
