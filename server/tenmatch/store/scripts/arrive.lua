#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full, so that players can come back then.
--
-- Give a seat to the newest connection of its player.
--
-- KEYS[1]  who is there (hash)
-- KEYS[2]  the room's log, with which that expires
-- KEYS[3]  the room's channel
-- ARGV[1]  seat
-- ARGV[2]  node
--
-- The hash: 'n'       the number of the latest connection
--           's:SEAT'  'NUMBER MS NODE': who holds it, when that was last said, NODE '-' once it has gone
--           'w:NODE'  'COUNT MS': how many watch there, when that was last said
--
-- Answers {TIME in ms, number}, higher than any before in this room, and publishes it as a note of kind 1:
-- seat (1 byte), number (uint32), node.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local life = redis.call('PTTL', KEYS[2])
if life <= 0 then
  life = 60000  -- a log is about to come, and its first append will set this anew; or there never will be one
end
local number = redis.call('HINCRBY', KEYS[1], 'n', 1)
redis.call('HSET', KEYS[1], 's:' .. ARGV[1], string.format('%d %.0f %s', number, now, ARGV[2]))
redis.call('PEXPIRE', KEYS[1], life)
redis.call('SPUBLISH', KEYS[3], struct.pack('>BBBI4', 1, 1, ARGV[1], number) .. ARGV[2])
return {now, number}
