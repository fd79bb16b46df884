import { Script } from '../connection/script.js';

/** `now`: Redis's own time in microseconds, since the machines' clocks differ. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

// KEYS: for each limit, the time at which its requests are earned back. ARGV: microseconds for a request, how many may
// come at once …. Answers the microseconds after which to come back, or 0. A time further ahead than a full limit was
// written before the clock was set back.
export const takeRequest = new Script(`${clock}
for i, key in ipairs(KEYS) do
  local part, atOnce = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local freeAt = math.min(math.max(tonumber(redis.call('GET', key) or '0'), now), now + atOnce * part)
  local left = now + atOnce * part - freeAt
  if left < part then return part - left end
  redis.call('SET', key, string.format('%.0f', freeAt + part), 'PX', math.ceil((freeAt + part - now) / 1000))
end
return 0`);

// KEYS: as above. ARGV: microseconds for a request of each. Expired keys are deleted.
export const giveRequestBack = new Script(`${clock}
for i, key in ipairs(KEYS) do
  local freeAt = tonumber(redis.call('GET', key) or '0') - tonumber(ARGV[i])
  if freeAt > now then redis.call('SET', key, string.format('%.0f', freeAt), 'PX', math.ceil((freeAt - now) / 1000))
  else redis.call('DEL', key) end
end
return 0`);

// KEYS: the times of the latest events, latest first. ARGV: the limit, how many events. Answers 1 if they were counted.
export const takeEvents = new Script(`${clock}
local limit, events = tonumber(ARGV[1]), tonumber(ARGV[2])
local latest = redis.call('LINDEX', KEYS[1], 0)
if latest and tonumber(latest) > now then redis.call('DEL', KEYS[1]) end
local inTheWay = redis.call('LINDEX', KEYS[1], limit - events)
if inTheWay and tonumber(inTheWay) > now - 1000000 then return 0 end
for i = 1, events do redis.call('LPUSH', KEYS[1], string.format('%.0f', now)) end
redis.call('LTRIM', KEYS[1], 0, limit - 1)
redis.call('PEXPIRE', KEYS[1], 1001)
return 1`);
