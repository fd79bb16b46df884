import { confirm, holds, refuseTheGone, Script, unanswered, unconfirmed, versions } from '../connection/script.js';

/**
 * In each partition:
 * - `users:<room>`, a hash: each user as `<version of the join> <connections> <info>`, the info of their first
 *   connection as `-` or `+<JSON>`, or that of the latest update after its version
 * - `connections:<room>`, a hash: each connection as `<process> <first> <version> <user>`: 1 if it was the user's
 *   first, 2 if the user returned with it, otherwise 0
 * - `present:<id>`, a set: a process's entries, as `<room>\n<connection>`
 * - `left:<room>\n<connection>`, remembered as in `script.ts`: the departure, as `<1 if it was the last> <version> <user>`
 * - `gone:<id>`, as with the channels
 *
 * A room is written as `<scope> <name>`; see `nameOf`.
 */
const ledger = `${versions}${unconfirmed('members')}${unanswered('members')}
local base = KEYS[1]
local function join(node, room, connection, user, info, limit)
  local users, connections = base .. 'users:' .. room, base .. 'connections:' .. room
  local known = redis.call('HGET', connections, connection)
  if known then
    local isFirst, version = string.match(known, '^[^ ]+ (%d) (%d+) ')
    return 1, isFirst, version, false
  end
  local present = redis.call('HGET', users, user)
  if not present and limit >= 0 and redis.call('HLEN', users) >= limit then return 0 end
  local version, isFirst
  local previous = ''
  if present then
    local since, count, rest = string.match(present, '^(%d+) (%d+) (.*)$')
    version, isFirst = versionOf(base .. 'version'), '0'
    redis.call('HSET', users, user, since .. ' ' .. (count + 1) .. ' ' .. rest)
  else
    version = nextVersion(base .. 'version')
    redis.call('HSET', users, user, version .. ' 1 ' .. info)
    local absentSince = release(room .. '\\n' .. user)
    isFirst = absentSince and '2' or '1'
    previous = absentSince or ''
  end
  redis.call('HSET', connections, connection, node .. ' ' .. isFirst .. ' ' .. version .. ' ' .. user)
  redis.call('SADD', base .. 'present:' .. node, room .. '\\n' .. connection)
  return 1, isFirst, version, true, previous
end
local function leave(node, room, connection, holder)
  local users, connections = base .. 'users:' .. room, base .. 'connections:' .. room
  redis.call('SREM', base .. 'present:' .. node, room .. '\\n' .. connection)
  local known = redis.call('HGET', connections, connection)
  if not known then return nil end
  local user = string.match(known, '^[^ ]+ %d %d+ (.*)$')
  redis.call('HDEL', connections, connection)
  local since, count, info = string.match(redis.call('HGET', users, user), '^(%d+) (%d+) (.*)$')
  if tonumber(count) > 1 then
    redis.call('HSET', users, user, since .. ' ' .. (count - 1) .. ' ' .. info)
    return user, '0', versionOf(base .. 'version'), info
  end
  redis.call('HDEL', users, user)
  local version = nextVersion(base .. 'version')
  holdBack(holder, room .. '\\n' .. user, version)
  return user, '1', version, info, since
end
`;

export const holdsAbsence = holds('members');

export const confirmAbsent = confirm('members');

// ARGV: node, room, connection, user, info, limit or -1.
export const join = new Script(`${ledger}${refuseTheGone}
local isIn, isFirst, version, _, previous = join(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]))
return { isIn, isFirst, version, previous or '' }`);

// ARGV: node, room, connection.
export const leave = new Script(`${ledger}
local subject = ARGV[2] .. '\\n' .. ARGV[3]
local user, wasLast, version, _, since = leave(ARGV[1], ARGV[2], ARGV[3], ARGV[1])
if not user then
  local left = redis.call('GET', base .. 'left:' .. subject)
  if not left then return nil end
  wasLast, version, user = string.match(left, '^(%d) (%d+) (.*)$')
  return { user, wasLast, version }
end
remember('left', subject, wasLast .. ' ' .. version .. ' ' .. user, version)
return { user, wasLast, version, since or '' }`);

// ARGV: room, user, info.
export const update = new Script(`${ledger}
local users = base .. 'users:' .. ARGV[1]
local present = redis.call('HGET', users, ARGV[2])
if not present then return nil end
local since, count = string.match(present, '^(%d+) (%d+) ')
local version = nextVersion(base .. 'version')
redis.call('HSET', users, ARGV[2], since .. ' ' .. count .. ' ' .. version .. ARGV[3])
return version`);

// ARGV: room.
export const roster = new Script(`${ledger}
return { versionOf(base .. 'version'), redis.call('HGETALL', base .. 'users:' .. ARGV[1]) }`);

// ARGV: node, its heir if it is dead or '', the stamp of the latest answer, the number of confirmations, confirmed
// subject and version …, room, connection, user and info ….
export const announce = new Script(`${ledger}
local node, heir, first = ARGV[1], ARGV[2], 5 + 2 * tonumber(ARGV[4])
local changes, kept, lacking, joined = {}, {}, {}, {}
for i = 5, first - 1, 2 do
  if lacked(ARGV[i], ARGV[i + 1]) then lacking[#lacking + 1] = i end
end
local function split(subject)
  return string.match(subject, '^([^\\n]*)\\n(.*)$')
end
-- The user is present, but was announced as absent and not as present again.
local function tellAgain(subject, goneAt)
  local room, user = split(subject)
  local present = redis.call('HGET', base .. 'users:' .. room, user)
  if not present then return end
  if joined[subject] then
    joined[subject][4] = '1'
    return
  end
  local since, count, info = string.match(present, '^(%d+) (%d+) (.*)$')
  if since <= goneAt then
    since = nextVersion(base .. 'version')
    redis.call('HSET', base .. 'users:' .. room, user, since .. ' ' .. count .. ' ' .. info)
  end
  changes[#changes + 1] = { room, user, info, '1', since }
end
if heir == '' then redis.call('DEL', base .. 'gone:' .. node)
else
  redis.call('SET', base .. 'gone:' .. node, 1, 'EX', 86400)
  inherit(node, heir, function(subject, version)
    local room, user = split(subject)
    changes[#changes + 1] = { room, user, '-', '0', version }
  end)
end
for i = first, #ARGV, 4 do kept[ARGV[i] .. '\\n' .. ARGV[i + 1]] = true end
for _, held in ipairs(redis.call('SMEMBERS', base .. 'present:' .. node)) do
  if not kept[held] then
    local room, connection = string.match(held, '^(.*)\\n([^\\n]*)$')
    local user, wasLast, version, info, since = leave(node, room, connection, heir ~= '' and heir or node)
    if wasLast == '1' then changes[#changes + 1] = { room, user, info, '0', version, since } end
  end
end
for i = first, #ARGV, 4 do
  local room, connection, user, info = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local _, isFirst, version, isNew, previous = join(node, room, connection, user, info, -1)
  if isNew and isFirst ~= '0' then
    joined[room .. '\\n' .. user] = { room, user, info, isFirst, version, previous }
    changes[#changes + 1] = joined[room .. '\\n' .. user]
  end
end
for _, i in ipairs(lacking) do tellAgain(ARGV[i], ARGV[i + 1]) end
return answered(heir ~= '' and heir or node, ARGV[3], changes)`);
