-- Keep a report for the organiser, unless its sender has sent too many lately.
--
-- KEYS[1]  reports by name (hash)
-- KEYS[2]  their names by the ms when they came (zset)
-- KEYS[3]  the sender's of the last day by the ms until which they count (zset)
-- ARGV[1]  name
-- ARGV[2]  the report
-- ARGV[3]  how many a sender may send a day; 0: any number
-- ARGV[4]  how many are kept; the oldest give way
-- ARGV[5]  for how many ms they are kept; 0: for ever
--
-- Answers {TIME in ms, 1 if it is kept, else 0}. A report of the same name takes the other's place, and counts once.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local day, most, many, ttl = 86400000, tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if most > 0 then
  if not redis.call('ZSCORE', KEYS[3], ARGV[1]) and redis.call('ZCARD', KEYS[3]) >= most then
    return {now, 0}
  end
  redis.call('ZADD', KEYS[3], now + day, ARGV[1])
  redis.call('PEXPIRE', KEYS[3], day)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
local gone = ttl > 0 and redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ttl, 'LIMIT', 0, 500) or {}
if redis.call('ZCARD', KEYS[2]) > many then
  gone[#gone + 1] = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
end
if #gone > 0 then
  redis.call('HDEL', KEYS[1], unpack(gone))
  redis.call('ZREM', KEYS[2], unpack(gone))
end
for i = 1, 2 do
  if ttl > 0 then redis.call('PEXPIRE', KEYS[i], ttl) else redis.call('PERSIST', KEYS[i]) end
end
return {now, 1}
