-- Count a room, tournament or report among those that were made lately, if there are not too many.
--
-- KEYS[1]  those that a player made, or that were made from an address, by the ms until which they count (zset)
-- ARGV[1]  the one that is to be made
-- ARGV[2]  how many may count
-- ARGV[3]  for how many ms it counts
--
-- Answers {TIME in ms, 1 if it is counted, else 0}. A room that is counted already may be made again.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return {now, 1}
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  return {now, 0}
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {now, 1}
