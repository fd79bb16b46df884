import {
  confirm,
  holds,
  maxRemembered,
  refuseTheGone,
  Script,
  unanswered,
  unconfirmed,
  versions,
} from '../connection/script.js';

/**
 * In each partition:
 * - `channels:<app>`, a hash: the number of connections of all processes on each occupied channel
 * - `node:<id>`, a hash: the process's own connections on each, as `<connections>`, or `<connections> <version>
 *   <return>` where its latest call made the channel occupied
 * - `vacated:<id>`, a sorted set: the latest channels that the process vacated within a minute, by the version at which
 *   it did: clients choose their names, so there may be any number
 * - `admitted:<app>`, a hash: the connections that count towards the quota, and the process of each
 * - `node-admitted:<id>`, a set: the admitted connections of a process
 * - `gone:<id>`, for a day: the process's entries were removed; it can only return by an announcement
 *
 * A channel is written as `<app> <channel>`, a connection likewise; see `nameOf`.
 */
const occupancy = `${versions}${unconfirmed('channels')}${unanswered('channels')}
local base = KEYS[1]
local function parts(name)
  return string.match(name, '^([^ ]*) (.*)$')
end
local function noteVacated(key, name, version)
  redis.call('ZADD', key, version, name)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', version - 60000000))
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - ${maxRemembered})
  redis.call('EXPIRE', key, 120)
end
local function vacatedAt(key, name)
  local version = redis.call('ZSCORE', key, name)
  return version and string.format('%.0f', version) or ''
end
local function occupy(node, name, connections, holder)
  local nodeKey, vacatedKey = base .. 'node:' .. node, base .. 'vacated:' .. node
  local app, channel = parts(name)
  local totals = base .. 'channels:' .. app
  local held, change, isReturn = string.match(redis.call('HGET', nodeKey, name) or '0', '^(%d+) ?(%d*) ?(%d*)$')
  local before = tonumber(held)
  if before == connections then
    if change == '' and connections == 0 then change = vacatedAt(vacatedKey, name) end
    local count = tonumber(redis.call('HGET', totals, channel) or '0')
    return count, versionOf(base .. 'version'), change, tonumber(isReturn) or 0, false
  end
  local count = redis.call('HINCRBY', totals, channel, connections - before)
  if count <= 0 then redis.call('HDEL', totals, channel) end
  local countBefore = count - connections + before
  local version = nextVersion(base .. 'version')
  change, isReturn = '', 0
  if (countBefore > 0) ~= (count > 0) then
    change = version
    if count == 0 then holdBack(holder, name, change)
    elseif release(name) then isReturn = 1 end
  end
  if connections == 0 then
    redis.call('HDEL', nodeKey, name)
    if change ~= '' then noteVacated(vacatedKey, name, change) else redis.call('ZREM', vacatedKey, name) end
  elseif change ~= '' then redis.call('HSET', nodeKey, name, connections .. ' ' .. change .. ' ' .. isReturn)
  else redis.call('HSET', nodeKey, name, connections) end
  return count, version, change, isReturn, true
end
`;

export const holdsVacancy = holds('channels');

export const confirmVacated = confirm('channels');

// ARGV: node, channel, connections.
export const occupy = new Script(`${occupancy}${refuseTheGone}
local count, version, change, isReturn = occupy(ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[1])
return { count, version, change, isReturn }`);

// ARGV: node, app, connection, limit or -1.
export const admit = new Script(`${refuseTheGone}
local key, limit = KEYS[1] .. 'admitted:' .. ARGV[2], tonumber(ARGV[4])
if limit >= 0 and redis.call('HEXISTS', key, ARGV[3]) == 0 and redis.call('HLEN', key) >= limit then return 0 end
redis.call('HSET', key, ARGV[3], ARGV[1])
redis.call('SADD', KEYS[1] .. 'node-admitted:' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
return 1`);

// ARGV: node, app, connection.
export const dismiss = new Script(`
redis.call('HDEL', KEYS[1] .. 'admitted:' .. ARGV[2], ARGV[3])
redis.call('SREM', KEYS[1] .. 'node-admitted:' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3])`);

// ARGV: node, its heir if it is dead or '', the stamp of the latest answer, the number of channels, the number of
// confirmations, channel and connections …, confirmed channel and version …, app and connection ….
export const announce = new Script(`${occupancy}
local node, heir = ARGV[1], ARGV[2]
local lastChannel = 5 + 2 * tonumber(ARGV[4])
local last = lastChannel + 2 * tonumber(ARGV[5])
local changes, wanted, lacking, told = {}, {}, {}, {}
for i = lastChannel + 1, last, 2 do
  if lacked(ARGV[i], ARGV[i + 1]) then lacking[#lacking + 1] = ARGV[i] end
end
local function add(name, count, version, change, isReturn)
  told[name] = { name, count, version, change, isReturn }
  changes[#changes + 1] = told[name]
end
local function tell(name, connections)
  local count, version, change, isReturn, isNew = occupy(node, name, connections, heir ~= '' and heir or node)
  if isNew then add(name, count, version, change, isReturn) end
end
-- The channel is occupied, but was announced as vacated and not as occupied again.
local function tellAgain(name)
  local app, channel = parts(name)
  local count = tonumber(redis.call('HGET', base .. 'channels:' .. app, channel) or '0')
  if count == 0 then return end
  local version = nextVersion(base .. 'version')
  if not told[name] then add(name, count, version, '', 0) end
  if told[name][4] == '' then told[name][4] = version end
  told[name][5] = 0
end
if heir == '' then redis.call('DEL', base .. 'gone:' .. node)
else
  redis.call('SET', base .. 'gone:' .. node, 1, 'EX', 86400)
  inherit(node, heir, function(name, version) add(name, 0, version, version, 0) end)
end
for i = 6, lastChannel, 2 do wanted[ARGV[i]] = true end
for _, name in ipairs(redis.call('HKEYS', base .. 'node:' .. node)) do
  if not wanted[name] then tell(name, 0) end
end
for i = 6, lastChannel, 2 do tell(ARGV[i], tonumber(ARGV[i + 1])) end
for _, name in ipairs(lacking) do tellAgain(name) end
local admitted = base .. 'node-admitted:' .. node
for _, name in ipairs(redis.call('SMEMBERS', admitted)) do
  local app, connection = parts(name)
  redis.call('HDEL', base .. 'admitted:' .. app, connection)
end
redis.call('DEL', admitted)
for i = last + 1, #ARGV, 2 do
  redis.call('HSET', base .. 'admitted:' .. ARGV[i], ARGV[i + 1], node)
  redis.call('SADD', admitted, ARGV[i] .. ' ' .. ARGV[i + 1])
end
return answered(heir ~= '' and heir or node, ARGV[3], changes)`);
