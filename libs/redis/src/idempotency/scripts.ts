import { Script } from '../connection/script.js';

/**
 * In each partition:
 * - `idempotent:<app> <key>`: `<print> <claim> <answer>`; the claim is empty once there is an answer
 * - `idempotency-keys:<app>`, a sorted set: the keys of an app by the time of their claim
 */
const known = `
local name, all = KEYS[1], KEYS[2]
local function state()
  return string.match(redis.call('GET', name) or '', '^(%x+) (%S*) (.*)$')
end
`;

// KEYS: key, keys of the app. ARGV: print, claim, milliseconds for it, milliseconds for an answer, the most keys.
// Answers the key's state, and its answer.
export const claim = new Script(`${known}
local print, holder, answer = state()
if print then
  if print ~= ARGV[1] then return { 'different' } end
  if holder == '' then return { 'answered', answer } end
  if holder ~= ARGV[2] then return { 'under way' } end
  return { 'claimed' }
end
redis.call('SET', name, ARGV[1] .. ' ' .. ARGV[2] .. ' ', 'PX', ARGV[3])
redis.call('ZADD', all, redis.call('TIME')[1], name)
redis.call('PEXPIRE', all, ARGV[4])
if redis.call('ZCARD', all) > tonumber(ARGV[5]) then redis.call('DEL', redis.call('ZPOPMIN', all)[1]) end
return { 'claimed' }`);

// KEYS: key. ARGV: print, claim, milliseconds, answer.
export const answer = new Script(`${known}
local print, holder = state()
if not print or holder == ARGV[2] then redis.call('SET', name, ARGV[1] .. '  ' .. ARGV[4], 'PX', ARGV[3]) end`);

// KEYS: key, keys of the app. ARGV: claim.
export const release = new Script(`${known}
local _, holder = state()
if holder ~= ARGV[1] then return end
redis.call('DEL', name)
redis.call('ZREM', all, name)`);
