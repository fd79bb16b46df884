import { Script } from '../connection/script.js';

/**
 * `receipts:<app> <receipt>`, a hash, until it expires: of each user the time of receipt, a space, and the time of
 * display, if any. KEYS: it. ARGV: milliseconds, the most users, then of each receipt the user, the time, and 's' for a
 * display. Answers for each whether it is news.
 */
export const add = new Script(`
local news = {}
for i = 3, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[1], ARGV[i])
  local isShown = ARGV[i + 2] == 's'
  local value = false
  if known then value = isShown and string.sub(known, -1) == ' ' and known .. ARGV[i + 1]
  elseif redis.call('HLEN', KEYS[1]) < tonumber(ARGV[2]) then
    value = ARGV[i + 1] .. ' ' .. (isShown and ARGV[i + 1] or '')
  end
  if value then redis.call('HSET', KEYS[1], ARGV[i], value) end
  news[#news + 1] = value and 1 or 0
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return news`);

/** Answers users, each with their times. */
export const find = new Script(`return redis.call('HGETALL', KEYS[1])`);
