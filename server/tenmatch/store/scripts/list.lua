-- Put a line into the public list, or take one out.
--
-- KEYS[1]  lines by room (hash)
-- KEYS[2]  rooms by rank (zset)
-- KEYS[3]  rooms by the ms of their last refresh (zset)
-- KEYS[4]  version of the list (string)
-- KEYS[5]  rooms by how much they are worth watching (zset)
-- ARGV[1]  room
-- ARGV[2]  rank, or '' to take the room out
-- ARGV[3]  line
-- ARGV[4]  how much it is worth watching, or '' for what nobody is to be pointed to
--
-- Answers {TIME in ms}. The version grows only when the list changes: TIME, or one more where that is no
-- higher, so it is never used twice, even when the store lost its latest.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local changed = false
if ARGV[2] == '' then
  changed = redis.call('HDEL', KEYS[1], ARGV[1]) == 1
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  changed = redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[3]
  changed = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '') ~= tonumber(ARGV[2]) or changed
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
  redis.call('ZADD', KEYS[3], now, ARGV[1])
end
if ARGV[2] == '' or ARGV[4] == '' then
  changed = redis.call('ZREM', KEYS[5], ARGV[1]) == 1 or changed
else
  changed = tonumber(redis.call('ZSCORE', KEYS[5], ARGV[1]) or '') ~= tonumber(ARGV[4]) or changed
  redis.call('ZADD', KEYS[5], ARGV[4], ARGV[1])
end
if changed then
  local version = tonumber(redis.call('GET', KEYS[4]) or 0)
  redis.call('SET', KEYS[4], string.format('%.0f', math.max(now, version + 1)))
end
return {now}
