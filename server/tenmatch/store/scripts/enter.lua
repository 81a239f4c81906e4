-- Let a player's history of rated games go on, if it is still as it was when that was reckoned.
--
-- KEYS[1]  standing (string)
-- KEYS[2]  history, oldest first (list)
-- ARGV[1]  the standing that was found, '' for none; it is another after each game that is entered
-- ARGV[2]  the new one
-- ARGV[3]  how many games at the end of the history are replaced
-- ARGV[4]  how many are kept
-- ARGV[5]  for how many ms all is kept, 0: for ever
-- ARGV[6…] games
--
-- Answers {TIME in ms, 1 if they were entered, else 0}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return {now, 0}
end
if ARGV[3] ~= '0' then
  redis.call('LTRIM', KEYS[2], 0, -1 - ARGV[3])
end
for i = 6, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[i])
end
redis.call('LTRIM', KEYS[2], -ARGV[4], -1)
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[5] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
else
  redis.call('PERSIST', KEYS[2])
end
return {now, 1}
