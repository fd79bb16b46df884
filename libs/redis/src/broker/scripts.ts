import { Script, versions } from '../connection/script.js';

/**
 * In each partition:
 * - `history:<channel>`, a stream: the events of a channel's history. An id is the event's position; `p` is the
 *   position of the previous event, `b` the bytes of all earlier ones, `e` the excluded connection, `t` its text
 * - `history-latest:<channel>`, for two days: the position of the latest event, the bytes of all up to it, and for how
 *   many microseconds events are kept
 * - `history-epoch`, for a month after its last use: positions before it are unknown
 */
const histories = `${versions}
local function epochOf(versionKey, epochKey)
  local epoch = redis.call('GET', epochKey)
  if epoch then redis.call('EXPIRE', epochKey, 2592000)
  else
    epoch = nextVersion(versionKey)
    redis.call('SET', epochKey, epoch, 'EX', 2592000)
  end
  return epoch
end
local function latestOf(key)
  return string.match(redis.call('GET', key) or '', '^(%d+) (%d+) (%d+)$')
end
local function number(value)
  return string.format('%.0f', value)
end
local function dropBefore(key, position)
  redis.call('XTRIM', key, 'MINID', '=', number(position) .. '-0')
end
`;

/**
 * KEYS: version, which also says the partition's prefix; of a kept event, also what is kept of its channel. While a slot
 * of a cluster moves, Redis finds out by them which node has the keys. ARGV: the channel's name and the text; then, where
 * they are set, the head and the milliseconds to remember it; then for the history the number of events, microseconds
 * and bytes it keeps, and the excluded connection.
 *
 * @param topics how topics begin
 */
export const publishTo = (topics: string): Script =>
  new Script(`${histories}
local version, name, text = KEYS[1], ARGV[1], ARGV[2]
local base = string.sub(version, 1, -1 - #'version')
local head, milliseconds, events = ARGV[3] or '', ARGV[4] or '', ARGV[5]
local epoch = events and epochOf(version, base .. 'history-epoch')
local position = nextVersion(version)
if milliseconds ~= '' then redis.call('SET', base .. 'remembered:' .. name, position .. '\\n' .. text, 'PX', milliseconds) end
if epoch then
  local stream, latest = base .. 'history:' .. name, base .. 'history-latest:' .. name
  local life, most = tonumber(ARGV[6]), tonumber(ARGV[7])
  local before, bytes = latestOf(latest)
  bytes = tonumber(bytes or '0')
  local total = bytes + #text
  redis.call('XADD', stream, 'MAXLEN', '=', events, position .. '-0',
    'p', before or epoch, 'b', number(bytes), 'e', ARGV[8], 't', text)
  redis.call('SET', latest, position .. ' ' .. number(total) .. ' ' .. ARGV[6], 'EX', 172800)
  dropBefore(stream, tonumber(position) - life)
  while true do
    local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
    if not first or total - tonumber(first[2][4]) <= most then break end
    redis.call('XDEL', stream, first[1])
  end
  redis.call('PEXPIRE', stream, math.ceil(life / 1000) + 1)
end
redis.call('SPUBLISH', base .. '${topics}' .. name, position .. '\\n' .. head .. '\\n' .. text)
return position`);

/**
 * The same for a message that is not kept: KEYS and ARGV as far as the head. A full Redis takes it, because it needs no
 * memory that lasts.
 *
 * @param topics how topics begin
 */
export const passTo = (topics: string): Script =>
  new Script(`#!lua flags=allow-oom
${versions}
local base, name, text = string.sub(KEYS[1], 1, -1 - #'version'), ARGV[1], ARGV[2]
local position = nextVersion(KEYS[1])
redis.call('SPUBLISH', base .. '${topics}' .. name, position .. '\\n' .. (ARGV[3] or '') .. '\\n' .. text)
return position`);

export const recall = new Script(`return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }`);

/**
 * KEYS: version, and of the history its stream, its latest, its epoch. ARGV: the most events, the position before them.
 */
export const history = new Script(`${histories}
local epoch = epochOf(KEYS[1], KEYS[4])
local latest, _, life = latestOf(KEYS[3])
local now = nextVersion(KEYS[1])
if life then dropBefore(KEYS[2], tonumber(now) - tonumber(life)) end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
-- The latest event that was dropped, or the beginning of this memory.
local floor = first and first[2][2] or latest or epoch
local isComplete = ARGV[2] ~= '' and ARGV[2] >= floor and ARGV[2] <= now or ARGV[2] == '' and floor == epoch
local events = {}
if tonumber(ARGV[1]) > 0 then
  local from = ARGV[2] == '' and '-' or '(' .. ARGV[2] .. '-0'
  for _, entry in ipairs(redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', ARGV[1])) do
    events[#events + 1] = { string.match(entry[1], '^%d+'), entry[2][6], entry[2][8] }
  end
end
return { isComplete and 1 or 0, now, events }`);
