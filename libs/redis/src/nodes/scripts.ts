import { Script } from '../connection/script.js';

/**
 * - `leases`, a sorted set: the live processes, by the end of their lease
 * - `dying`, a hash: the dead processes being removed, each with the remover; if that dies too, another takes over
 * - `about`, a hash: each process's description of itself
 * - `epoch`: when the first process joined, and its name; it changes if Redis loses its data
 * - `replaced`: the epoch of which a process knows that there was one before
 *
 * Times are Redis's own, in milliseconds, since the machines' clocks differ.
 */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function isAlive(node)
  return now < tonumber(redis.call('ZSCORE', KEYS[1], node) or '0')
end
`;

// KEYS: leases, dying, about, epoch, replaced. ARGV: node, milliseconds, its description, the epoch it knows or ''.
// Answers the state of the lease before, 'new', 'held' or 'dying', how many are alive, the epoch, its age, and 1 if there
// was one before. A full Redis only refuses a script's first write, and only if that needs memory; hence the lease comes
// first.
export const renew = new Script(`${clock}
local takenOutBy = redis.call('HGET', KEYS[2], ARGV[1])
if takenOutBy and isAlive(takenOutBy) then return { 'dying', 0, '', 0, 0 } end
local state = redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) == 1 and 'new' or 'held'
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
redis.call('SET', KEYS[4], string.format('%.0f', now) .. ' ' .. ARGV[1], 'NX', 'EX', 86400)
redis.call('EXPIRE', KEYS[4], 86400)
local epoch = redis.call('GET', KEYS[4])
if ARGV[4] ~= '' and ARGV[4] ~= epoch then redis.call('SET', KEYS[5], epoch, 'EX', 86400) end
local isNext = redis.call('GET', KEYS[5]) == epoch and 1 or 0
local age = now - tonumber(string.match(epoch, '^%d+'))
return { state, redis.call('ZCOUNT', KEYS[1], now, '+inf'), epoch, age, isNext }`);

// KEYS: leases, dying. ARGV: node that asks. Answers a dead process, also one whose removal failed before.
export const claimDead = new Script(`${clock}
local found
local dying = redis.call('HGETALL', KEYS[2])
for i = 1, #dying, 2 do
  if dying[i] ~= ARGV[1] and (dying[i + 1] == ARGV[1] or not isAlive(dying[i + 1])) then found = dying[i] end
end
if not found then
  for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 2)) do
    if node ~= ARGV[1] then found = found or node end
  end
end
if not found then return false end
redis.call('ZREM', KEYS[1], found)
redis.call('HSET', KEYS[2], found, ARGV[1])
return found`);

// KEYS: leases, dying, about. ARGV: node.
export const bury = new Script(`
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])`);

// KEYS: leases. ARGV: node, whose lease ends now.
export const end = new Script(`${clock}
redis.call('ZADD', KEYS[1], 'XX', now - 1, ARGV[1])`);
