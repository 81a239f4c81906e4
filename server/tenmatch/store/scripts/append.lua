-- Add entries to a room's log if it still ends where the writer thinks it does.
--
-- KEYS[1]  the room's log (list)
-- KEYS[2]  who is there (hash): lives as long as the log
-- KEYS[3]  the room's channel
-- ARGV[1]  16 bytes, big-endian: the expected end's seq (4) and chain (4), zeros for a log that does not exist;
--          the ms that the entries claim as now (8), or 0 for no check
-- ARGV[2]  by how many ms that may be ahead of TIME
-- ARGV[3]  by how many ms it may be behind, or '' for any
-- ARGV[4]  expiry in seconds, counted from now
-- ARGV[5]  listeners on the channel that belong to the writer: with no others, nothing is published
-- ARGV[6]  1 if a WAIT follows that must cover what the answer rests on, also where others wrote it, else 0
-- ARGV[7…] the entries, none to compare only
--
-- Answers {TIME in ms, 0}                                 written and published
--         {TIME in ms, 1, seq, chain, forked, entries…}   nothing written: where the log ends, and what lies after the
--                                                         expected end; forked is 1 where that never was an end of it
--         {TIME in ms, 2}                                 nothing written: the claimed now is not near TIME
--
-- An entry's bytes 2 to 5 are its chain. All checks come before the first entry is written, so an error means:
-- none was.

local seq, chain, at = struct.unpack('>I4c4I8', ARGV[1])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local length = redis.call('LLEN', KEYS[1])
local actual = '\0\0\0\0'
if length > 0 then
  actual = string.sub(redis.call('LINDEX', KEYS[1], -1), 2, 5)
end

-- WAIT covers what the connection itself has written, and all before that: so write something that changes
-- nothing, not even when memory has run out.
local function cover()
  local expiry = ARGV[6] == '1' and redis.call('PEXPIRETIME', KEYS[1]) or 0
  if expiry > 0 then
    redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', expiry))
  end
end

if length ~= seq or actual ~= chain then
  cover()
  local answer = {now, 1, length, actual, 0}
  if length < seq then
    return answer
  end
  local later = redis.call('LRANGE', KEYS[1], math.max(seq - 1, 0), -1)
  local first = 1
  if seq > 0 then
    if string.sub(later[1], 2, 5) ~= chain then
      answer[5] = 1
      return answer
    end
    first = 2
  end
  for i = first, #later do
    answer[#answer + 1] = later[i]
  end
  return answer
end

if at > 0 then
  local ahead = at - now
  if ahead > tonumber(ARGV[2]) or (ARGV[3] ~= '' and -ahead > tonumber(ARGV[3])) then
    return {now, 2}
  end
end

if #ARGV >= 7 then
  redis.call('RPUSH', KEYS[1], unpack(ARGV, 7))
  redis.call('EXPIRE', KEYS[1], ARGV[4])
  redis.call('EXPIRE', KEYS[2], ARGV[4])
  if redis.call('PUBSUB', 'SHARDNUMSUB', KEYS[3])[2] > tonumber(ARGV[5]) then
    -- As store/published.py reads it: version 1, kind 0, first seq, then each entry after its length.
    local parts = {struct.pack('>BBI4', 1, 0, seq + 1)}
    for i = 7, #ARGV do
      parts[#parts + 1] = struct.pack('>I4', #ARGV[i]) .. ARGV[i]
    end
    redis.call('SPUBLISH', KEYS[3], table.concat(parts))
  end
else
  cover()
end
return {now, 0}
