-- Read the public list, if it is another than the reader knows, and drop what nobody refreshed.
--
-- KEYS[1…4] as in list.lua
-- ARGV[1]  the version that the reader knows
-- ARGV[2]  how many lines
-- ARGV[3]  for how many ms a refresh counts
--
-- Answers {TIME in ms, version, room, line, …}, the highest rank first; no lines where the reader knows them.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local version = redis.call('GET', KEYS[4]) or '0'
local stale = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[3], 'LIMIT', 0, 500)
if #stale > 0 then
  redis.call('HDEL', KEYS[1], unpack(stale))
  redis.call('ZREM', KEYS[2], unpack(stale))
  redis.call('ZREM', KEYS[3], unpack(stale))
  version = string.format('%.0f', math.max(now, version + 1))
  redis.call('SET', KEYS[4], version)
end
if version == ARGV[1] then
  return {now, version}
end
local rooms = redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1, 'REV')
if #rooms == 0 then
  return {now, version}
end
local answer = {now, version}
local lines = redis.call('HMGET', KEYS[1], unpack(rooms))
for i = 1, #rooms do
  answer[#answer + 1] = rooms[i]
  answer[#answer + 1] = lines[i]
end
return answer
