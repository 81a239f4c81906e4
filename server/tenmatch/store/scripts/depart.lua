#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full, so that players can come back then.
--
-- Let go of a seat, unless a newer connection has it.
--
-- KEYS[1]  who is there (hash, see arrive.lua)
-- ARGV[1]  seat
-- ARGV[2]  number of the connection that goes
--
-- Answers {TIME in ms, 1 if it was let go, else 0}. When it was last seen stays.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local entry = redis.call('HGET', KEYS[1], 's:' .. ARGV[1])
if not entry or string.match(entry, '^%d+') ~= ARGV[2] then
  return {now, 0}
end
redis.call('HSET', KEYS[1], 's:' .. ARGV[1], string.format('%s %.0f -', ARGV[2], now))
return {now, 1}
