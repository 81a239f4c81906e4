#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full: nodes live on then.
--
-- Note that nodes are alive, and since when they were not.
--
-- KEYS[1]  ms of the latest beat (string)
-- KEYS[2]  outages: 'FROM-TO' in ms by TO (zset)
-- ARGV[1]  for how many ms a beat counts: a longer pause is an outage
-- ARGV[2]  for how many ms an outage is told
--
-- Answers {TIME in ms, 'FROM-TO', …}, the earliest first.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1]) or now)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', now - ARGV[2]))
if now - last > tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[2], now, string.format('%.0f-%.0f', last, now))
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
redis.call('SET', KEYS[1], string.format('%.0f', now))
local answer = redis.call('ZRANGE', KEYS[2], 0, -1)
table.insert(answer, 1, now)
return answer
