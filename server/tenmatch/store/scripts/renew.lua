#!lua flags=allow-oom
-- What this writes has a bound. It is written also where memory is full, so that players can come back then.
--
-- Say which seats a node holds and how many watch there, and hear who is in the room.
--
-- KEYS[1]  who is there (hash, see arrive.lua)
-- KEYS[2]  the room's log, with which that expires
-- ARGV[1]  node
-- ARGV[2]  how many watch at the node
-- ARGV[3]  for how many ms counts what was said
-- ARGV[4…] seat and number of its connection, for each seat held
--
-- A seat is renewed where no higher number stands. What the store lost is put back, the counter included.
--
-- Answers {TIME in ms, watching, seat, number, ms, online, …}: of each seat ever taken who holds it, when
-- that was last said, and 1 if that still counts, else 0.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local oldest = now - tonumber(ARGV[3])

local latest, seats, watchers = 0, {}, {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local kind, name = string.match(fields[i], '^(%a):?(.*)$')
  local number, ms, node = string.match(fields[i + 1], '^(%d+) ?(%d*) ?(.*)$')
  if kind == 'n' then
    latest = tonumber(number)
  elseif kind == 's' then
    seats[name] = {tonumber(number), tonumber(ms), node}
  elseif kind == 'w' then
    watchers[name] = {tonumber(number), tonumber(ms)}
  end
end

local writes, gone = {}, {}
local function write(field, value)
  writes[#writes + 1] = field
  writes[#writes + 1] = value
end

local highest = latest
for i = 4, #ARGV, 2 do
  local seat, number = ARGV[i], tonumber(ARGV[i + 1])
  if not seats[seat] or seats[seat][1] <= number then
    seats[seat] = {number, now, ARGV[1]}
    write('s:' .. seat, string.format('%d %.0f %s', number, now, ARGV[1]))
    highest = math.max(highest, number)
  end
end
if highest > latest then
  write('n', highest)
end

if tonumber(ARGV[2]) > 0 then
  watchers[ARGV[1]] = {tonumber(ARGV[2]), now}
  write('w:' .. ARGV[1], string.format('%s %.0f', ARGV[2], now))
elseif watchers[ARGV[1]] then
  watchers[ARGV[1]] = {0, 0}
end
local watching = 0
for node, said in pairs(watchers) do
  if said[2] > oldest then
    watching = watching + said[1]
  else
    gone[#gone + 1] = 'w:' .. node
  end
end

if #writes > 0 then
  redis.call('HSET', KEYS[1], unpack(writes))
  if #fields == 0 then
    local life = redis.call('PTTL', KEYS[2])
    redis.call('PEXPIRE', KEYS[1], life > 0 and life or 60000)
  end
end
if #gone > 0 then
  redis.call('HDEL', KEYS[1], unpack(gone))
end

local answer = {now, watching}
for seat, held in pairs(seats) do
  answer[#answer + 1] = tonumber(seat)
  answer[#answer + 1] = held[1]
  answer[#answer + 1] = held[2]
  answer[#answer + 1] = (held[3] ~= '-' and held[2] > oldest) and 1 or 0
end
return answer
