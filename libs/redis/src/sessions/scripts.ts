import { Script } from '../connection/script.js';

/**
 * `session:<session>`, a hash, until it expires: `c` has the socket ids, the latest opened first, `h` the one that has
 * taken the session, `u` the user, and `p:<channel>` a position. KEYS: it.
 */

/**
 * ARGV: socket id, milliseconds and, of a connection that is forgotten, the socket ids opened before it. Answers the
 * fields from before.
 */
export const open = new Script(`
local before = redis.call('HGETALL', KEYS[1])
local ids = {}
for id in string.gmatch(redis.call('HGET', KEYS[1], 'c') or '', '%S+') do ids[#ids + 1] = id end
local at = 1
if ARGV[3] then
  local earlier = ' ' .. ARGV[3] .. ' '
  while at <= #ids and at < 8 and not string.find(earlier, ' ' .. ids[at] .. ' ', 1, true) do at = at + 1 end
end
table.insert(ids, at, ARGV[1])
redis.call('HSET', KEYS[1], 'c', table.concat(ids, ' ', 1, math.min(#ids, 8)))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return before`);

/**
 * KEYS: `sessions-since`, when this Redis got its first session, in epoch milliseconds; `sessions-replaced`, the same if
 * a process had used another Redis before; both for a month after their last use. ARGV: `sessions-since` as the process
 * has last read it, or ''. Answers it as it is now, the milliseconds since then, and whether it replaces another.
 */
export const age = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], string.format('%.0f', now), 'NX')
local since = redis.call('GET', KEYS[1])
if ARGV[1] ~= '' and ARGV[1] ~= since then redis.call('SET', KEYS[2], since) end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 2592000) end
local isReplacement = redis.call('GET', KEYS[2]) == since
return {since, now - tonumber(since), isReplacement and 1 or 0}`);

/** ARGV: socket id, milliseconds, the user or '', channels, each with a position, or '' to remove it. */
export const save = new Script(`
local known = redis.call('HMGET', KEYS[1], 'c', 'h')
if not known[1] then return 'forgotten' end
if known[2] ~= ARGV[1] then
  local sockets = ' ' .. known[1] .. ' '
  local own = string.find(sockets, ' ' .. ARGV[1] .. ' ', 1, true)
  local taken = known[2] and string.find(sockets, ' ' .. known[2] .. ' ', 1, true)
  if not own then return 'forgotten' end
  if taken and taken < own then return 'taken' end
  if ARGV[3] ~= '' or #ARGV > 3 then redis.call('HSET', KEYS[1], 'h', ARGV[1]) end
end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'u', ARGV[3]) end
for i = 4, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], 'p:' .. ARGV[i])
  else redis.call('HSET', KEYS[1], 'p:' .. ARGV[i], ARGV[i + 1]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'saved'`);
