-- Name the room of a player's attempt at a daily, once: a room that was given up before it began gives way to
-- another, one that came to something never does.
--
-- KEYS[1]  the rooms by player (hash)
-- KEYS[2]  what the attempts came to by player (hash)
-- ARGV[1]  the player
-- ARGV[2]  the room, if there is none yet
-- ARGV[3]  the room that was given up, '' for none
-- ARGV[4]  ms for which the rooms are kept; 0: for ever
--
-- Answers {TIME in ms, the room, 1 if the attempt is over and counts}.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local room = redis.call('HGET', KEYS[1], ARGV[1])
local played = redis.call('HGET', KEYS[2], ARGV[1]) and 1 or 0
if played == 0 and (not room or room == ARGV[3]) then
  room = ARGV[2]
  redis.call('HSET', KEYS[1], ARGV[1], room)
  if tonumber(ARGV[4]) > 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
  end
end
return {now, room or '', played}
