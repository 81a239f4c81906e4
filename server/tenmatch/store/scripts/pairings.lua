#!lua flags=allow-oom
-- What this writes takes the place of what was there. It is written also where memory is full.
--
-- Read the pairings that somebody must look after now, and leave them to the reader for a while.
--
-- KEYS[1]  pairings (hash, see pair.lua)
-- KEYS[2]  when somebody must look after them (zset)
-- ARGV[1]  how many
-- ARGV[2]  for how many ms they are left to the reader
--
-- Answers {TIME in ms, pairing, …}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local answer = {now}
for _, room in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local kept = redis.call('HGET', KEYS[1], room)
  if kept then
    redis.call('ZADD', KEYS[2], now + ARGV[2], room)
    answer[#answer + 1] = kept
  else
    redis.call('ZREM', KEYS[2], room)
  end
end
return answer
