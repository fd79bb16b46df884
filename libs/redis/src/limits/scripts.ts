import { Script } from '../connection/script.js';

/** `now`: Redis's own time in microseconds, since the machines' clocks differ. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

// KEYS: for each limit, the time at which its requests are earned back. ARGV for each: the microseconds that earn one back,
// how many may come at once, how many come now. Answers the microseconds after which to come back, or 0. A time further
// ahead than a full limit was written before the clock was set back.
export const takeRequest = new Script(`${clock}
for i, key in ipairs(KEYS) do
  local part, atOnce, count = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local freeAt = math.min(math.max(tonumber(redis.call('GET', key) or '0'), now), now + atOnce * part)
  local left = now + atOnce * part - freeAt
  if left < count * part then return count * part - left end
  redis.call('SET', key, string.format('%.0f', freeAt + count * part), 'PX', math.ceil((freeAt + count * part - now) / 1000))
end
return 0`);

// KEYS: as above. ARGV: the microseconds to give back for each. Expired keys are deleted.
export const giveRequestBack = new Script(`${clock}
for i, key in ipairs(KEYS) do
  local freeAt = tonumber(redis.call('GET', key) or '0') - tonumber(ARGV[i])
  if freeAt > now then redis.call('SET', key, string.format('%.0f', freeAt), 'PX', math.ceil((freeAt - now) / 1000))
  else redis.call('DEL', key) end
end
return 0`);
