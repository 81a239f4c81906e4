-- Put a player on the leaderboards of a mode, and take those off who have not played for long.
--
-- KEYS[1]  players by rating (zset)
-- KEYS[2]  players by the ms of their latest game (zset)
-- KEYS[3]  players by rating, of the week of that game (zset)
-- ARGV[1]  player
-- ARGV[2]  rating
-- ARGV[3]  ms of the player's latest game
-- ARGV[4]  for how many ms after it a player stays, 0: for ever
-- ARGV[5]  for how many ms a week's board is kept
--
-- Answers {TIME in ms}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
if ARGV[4] ~= '0' then
  local gone = redis.call('ZRANGE', KEYS[2], '-inf', '(' .. (now - ARGV[4]), 'BYSCORE', 'LIMIT', 0, 500)
  if #gone > 0 then
    redis.call('ZREM', KEYS[1], unpack(gone))
    redis.call('ZREM', KEYS[2], unpack(gone))
  end
end
return {now}
