#!lua flags=allow-oom
-- This only takes away.
--
-- Read who waits in a queue, and drop those for whom no connection speaks any more.
--
-- KEYS[1]  who seeks (hash, see seek.lua)
-- KEYS[2]  who waits in the queue (zset)
-- ARGV[1]  queue
-- ARGV[2]  how many to look at, those who are served first
--
-- Answers {TIME in ms, player, rating, since, …}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local players = redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1)
local answer = {now}
if #players == 0 then
  return answer
end
local elsewhere, lost = {}, {}
local noted = redis.call('HMGET', KEYS[1], unpack(players))
for i = 1, #players do
  local entry = noted[i] and cmsgpack.unpack(noted[i])
  if not entry or entry[1] ~= ARGV[1] or entry[8] ~= '' then
    elsewhere[#elsewhere + 1] = players[i]
  elseif entry[5] < now then
    lost[#lost + 1] = players[i]
  else
    answer[#answer + 1] = players[i]
    answer[#answer + 1] = entry[7]
    answer[#answer + 1] = entry[3]
  end
end
if #elsewhere > 0 then
  redis.call('ZREM', KEYS[2], unpack(elsewhere))
end
if #lost > 0 then
  redis.call('ZREM', KEYS[2], unpack(lost))
  redis.call('HDEL', KEYS[1], unpack(lost))
end
return answer
