-- Read the public list, if it is another than the reader knows, and drop what nobody refreshed.
--
-- KEYS[1…5] as in list.lua
-- ARGV[1]  the version that the reader knows
-- ARGV[2]  how many lines
-- ARGV[3]  for how many ms a refresh counts
-- ARGV[4]  how many of those most worth watching
--
-- Answers {TIME in ms, version, n, room, …, room, line, …}: the n rooms most worth watching, the most worth first;
-- then lines, the highest rank first, and those of these rooms that are not among them. Only {TIME, version} where
-- the reader knows them.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local version = redis.call('GET', KEYS[4]) or '0'
local stale = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[3], 'LIMIT', 0, 500)
if #stale > 0 then
  redis.call('HDEL', KEYS[1], unpack(stale))
  redis.call('ZREM', KEYS[2], unpack(stale))
  redis.call('ZREM', KEYS[3], unpack(stale))
  redis.call('ZREM', KEYS[5], unpack(stale))
  version = string.format('%.0f', math.max(now, version + 1))
  redis.call('SET', KEYS[4], version)
end
if version == ARGV[1] then
  return {now, version}
end
local rooms = redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1, 'REV')
local best = ARGV[4] == '0' and {} or redis.call('ZRANGE', KEYS[5], 0, ARGV[4] - 1, 'REV')
local answer, listed = {now, version, 0}, {}
for i = 1, #rooms do
  listed[rooms[i]] = true
end
for _, room in ipairs(best) do
  if redis.call('ZSCORE', KEYS[2], room) then
    answer[3] = answer[3] + 1
    answer[#answer + 1] = room
    if not listed[room] then
      rooms[#rooms + 1] = room
    end
  else -- taken out by a node that does not know of this set
    redis.call('ZREM', KEYS[5], room)
  end
end
if #rooms == 0 then
  return answer
end
local lines = redis.call('HMGET', KEYS[1], unpack(rooms))
for i = 1, #rooms do
  answer[#answer + 1] = rooms[i]
  answer[#answer + 1] = lines[i]
end
return answer
