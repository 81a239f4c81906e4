-- Read a part of a leaderboard, and where one player is on it.
--
-- KEYS[1]  players by rating (zset)
-- ARGV[1]  how many to leave out at the top
-- ARGV[2]  how many to read
-- ARGV[3]  the one player, '' for none
--
-- Answers {TIME in ms, how many are on it, the place of the first that was read, the one player's place and
-- rating, player, rating, …}, the highest rating first. Equal ratings share a place; what is not there is 0.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function place_of(rating)
  return redis.call('ZCOUNT', KEYS[1], '(' .. rating, '+inf') + 1
end
local lines = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1, 'REV', 'WITHSCORES')
local answer = {now, redis.call('ZCARD', KEYS[1]), 0, 0, 0}
if #lines > 0 then
  answer[3] = place_of(lines[2])
end
local own = redis.call('ZSCORE', KEYS[1], ARGV[3])
if own then
  answer[4] = place_of(own)
  answer[5] = own
end
for i = 1, #lines do
  answer[#answer + 1] = lines[i]
end
return answer
