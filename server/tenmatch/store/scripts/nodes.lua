#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full: nodes live on then.
--
-- Say what a node is like, or that it is gone, and hear of all that said so lately.
--
-- KEYS[1]  node → what it said of itself (hash)
-- KEYS[2]  node by the ms when it said so (zset)
-- ARGV[1]  for how many ms that counts
-- ARGV[2]  node, '' for none: only hear
-- ARGV[3]  what it says, '' where it is gone
--
-- Answers {TIME in ms, what each node said, …}, by the nodes' names.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if ARGV[2] ~= '' then
  if ARGV[3] == '' then
    redis.call('HDEL', KEYS[1], ARGV[2])
    redis.call('ZREM', KEYS[2], ARGV[2])
  else
    redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
    redis.call('ZADD', KEYS[2], now, ARGV[2])
  end
end
local names = redis.call('ZRANGE', KEYS[2], '(' .. string.format('%.0f', now - ARGV[1]), '+inf', 'BYSCORE')
if ARGV[2] ~= '' then
  local lost = redis.call('ZRANGE', KEYS[2], '-inf', string.format('%.0f', now - ARGV[1]), 'BYSCORE')
  if #lost > 0 then
    redis.call('HDEL', KEYS[1], unpack(lost))
    redis.call('ZREM', KEYS[2], unpack(lost))
  end
end
table.sort(names)
local answer = {now}
for _, name in ipairs(names) do
  answer[#answer + 1] = redis.call('HGET', KEYS[1], name)
end
return answer
