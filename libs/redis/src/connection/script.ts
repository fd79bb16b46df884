import { createHash } from 'node:crypto';

/** A function that Redis runs atomically. */
export class Script {
  /** The hash by which Redis knows a loaded script. */
  readonly sha: string;

  constructor(readonly lua: string) {
    this.sha = createHash('sha1').update(lua).digest('hex');
  }
}

/** Refuses a process considered dead: it can only return by an announcement. ARGV: node. */
export const refuseTheGone = `
if redis.call('EXISTS', KEYS[1] .. 'gone:' .. ARGV[1]) == 1 then
  return redis.error_reply('GONE This process was taken for dead')
end
`;

/**
 * `nextVersion(key)`: a number of sixteen digits that is greater than all earlier ones of the same key, even on a Redis
 * that lost its data, or a replica that lacks the latest: it is never behind the clock, in microseconds.
 * `versionOf(key)`: not less than any earlier one, and less than all later ones. It follows the clock too: processes may
 * know changes that a promoted replica lacks, and have to see that what it answers is newer.
 */
export const versions = `
local function clockAndLast(key)
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2], tonumber(redis.call('GET', key) or '0')
end
local function nextVersion(key)
  local clock, last = clockAndLast(key)
  local text = string.format('%.0f', math.max(clock, last + 1))
  redis.call('SET', key, text, 'EX', 86400)
  return text
end
local function versionOf(key)
  local clock, last = clockAndLast(key)
  return string.format('%.0f', math.max(clock - 1, last))
end
`;

/**
 * `answered(teller, known, changes)`: the changes for a process to tell, with those of its earlier calls whose answer it
 * lacks, and a stamp by which its next call shows that it has them (`known`):
 *
 * - `unanswered-<subjects>:<id>`, for two minutes: the stamp and the changes, as JSON
 */
export const unanswered = (subjects: Subjects): string => `
local function answered(teller, known, changes)
  local key = KEYS[1] .. 'unanswered-${subjects}:' .. teller
  local before = redis.call('GET', key)
  local stamp, list = string.match(before or '', '^(%d+) (.*)$')
  if stamp and stamp > known then
    local all = cjson.decode(list)
    for _, change in ipairs(changes) do all[#all + 1] = change end
    changes = all
  end
  if #changes == 0 then return { '', changes } end
  stamp = nextVersion(KEYS[1] .. 'stamp')
  redis.call('SET', key, stamp .. ' ' .. cjson.encode(changes), 'EX', 120)
  return { stamp, changes }
end
`;

/** The kind of subject whose disappearance is delayed: channels or their members. */
type Subjects = 'channels' | 'members';

/** How much of each kind a partition remembers: of all 128, that is 8,000. */
export const maxRemembered = 64;

/**
 * What is remembered of subjects that are gone: clients choose their names, so there may be any number. Of a kind, a
 * partition remembers the latest {@link maxRemembered}, each for one to two minutes:
 *
 * - `<kind>:<name>`: a text
 * - `<kind>-by-version`, a sorted set: the names, by the versions at which they were gone
 * - `<kind>-forgotten`, for a day: the greatest version that was forgotten
 *
 * `remember(kind, name, text, version, forgets)` calls back with each name that it forgets for it, and its text.
 */
const memories = `
local function wasForgotten(kind, version)
  return version <= (redis.call('GET', KEYS[1] .. kind .. '-forgotten') or '')
end
local function forget(kind, name)
  redis.call('DEL', KEYS[1] .. kind .. ':' .. name)
  redis.call('ZREM', KEYS[1] .. kind .. '-by-version', name)
end
local function remember(kind, name, text, version, forgets)
  local byVersion, forgotten = KEYS[1] .. kind .. '-by-version', KEYS[1] .. kind .. '-forgotten'
  redis.call('SET', KEYS[1] .. kind .. ':' .. name, text, 'EX', 120)
  redis.call('ZADD', byVersion, version, name)
  redis.call('EXPIRE', byVersion, 120)
  local expired = redis.call('ZCOUNT', byVersion, '-inf', string.format('%.0f', version - 60000000))
  local excess = math.max(expired, redis.call('ZCARD', byVersion) - ${maxRemembered})
  if excess == 0 then return end
  -- A few at a time, though more than are added.
  for _, each in ipairs(redis.call('ZRANGE', byVersion, 0, math.min(excess, 16) - 1)) do
    local at = string.format('%.0f', redis.call('ZSCORE', byVersion, each))
    if not wasForgotten(kind, at) then redis.call('SET', forgotten, at, 'EX', 86400) end
    if forgets then forgets(each, redis.call('GET', KEYS[1] .. kind .. ':' .. each)) end
    forget(kind, each)
  end
end
`;

/** Whether a subject is there: the channel is occupied, or the member present. */
const isThere: Readonly<Record<Subjects, string>> = {
  channels: `
local function isThere(subject)
  local app, channel = string.match(subject, '^([^ ]*) (.*)$')
  return redis.call('HEXISTS', KEYS[1] .. 'channels:' .. app, channel) == 1
end
`,
  members: `
local function isThere(subject)
  local room, user = string.match(subject, '^([^\\n]*)\\n(.*)$')
  return redis.call('HEXISTS', KEYS[1] .. 'users:' .. room, user) == 1
end
`,
};

/**
 * Unconfirmed disappearances, which a timely return cancels, as {@link memories}:
 *
 * - `unconfirmed-<subjects>:<subject>`: the version at which it disappeared, and the process that delays the announcement
 * - `node-unconfirmed-<subjects>:<id>`, a set: the subjects whose announcement a process delays; when it dies, another takes
 *   over
 * - `confirmed-<subjects>:<subject>`: the version that was confirmed last, and the call that did
 *
 * A forgotten one that has not returned counts as held back by any process that asks, and can be confirmed.
 */
export const unconfirmed = (subjects: Subjects): string => `${memories}${isThere[subjects]}
local unconfirmed, confirmed = 'unconfirmed-${subjects}', 'confirmed-${subjects}'
local ofNode = KEYS[1] .. 'node-unconfirmed-${subjects}:'
local function heldBack(subject)
  return string.match(redis.call('GET', KEYS[1] .. unconfirmed .. ':' .. subject) or '', '^(%d+) (.*)$')
end
local function isForgotten(subject, version)
  return not heldBack(subject) and wasForgotten(unconfirmed, version) and not isThere(subject)
end
local function holdBack(node, subject, version)
  redis.call('SADD', ofNode .. node, subject)
  redis.call('EXPIRE', ofNode .. node, 120)
  remember(unconfirmed, subject, version .. ' ' .. node, version, function(forgotten, text)
    local holder = string.match(text or '', '^%d+ (.*)$')
    if holder then redis.call('SREM', ofNode .. holder, forgotten) end
  end)
end
local function release(subject)
  local version, node = heldBack(subject)
  if not version then return nil end
  forget(unconfirmed, subject)
  redis.call('SREM', ofNode .. node, subject)
  return version
end
local function noteConfirmed(subject, version, call)
  remember(confirmed, subject, version .. ' ' .. call, version)
end
-- Confirms again what a process reports as confirmed, and answers whether the confirmation was lost, as with a master.
local function lacked(subject, version)
  local known = string.match(redis.call('GET', KEYS[1] .. confirmed .. ':' .. subject) or '', '^%d+')
  if known and known >= version or wasForgotten(confirmed, version) then return false end
  noteConfirmed(subject, version, '')
  if heldBack(subject) == version then release(subject) end
  return true
end
-- Calls with the subjects and versions that the process held back; its heir does from now on.
local function inherit(node, heir, take)
  for _, subject in ipairs(redis.call('SMEMBERS', ofNode .. node)) do
    local version, holder = heldBack(subject)
    if holder == node then
      holdBack(heir, subject, version)
      take(subject, version)
    end
  end
  redis.call('DEL', ofNode .. node)
end
`;

/** Answers 1 if the process holds back that the subject disappeared at the version. ARGV: subject, version, node. */
export const holds = (subjects: Subjects): Script =>
  new Script(`${unconfirmed(subjects)}
local version, node = heldBack(ARGV[1])
if isForgotten(ARGV[1], ARGV[2]) then return 1 end
return version == ARGV[2] and node == ARGV[3] and 1 or 0`);

/**
 * Answers 1 to exactly one call, also when it is repeated, if the subject has not returned since the version. ARGV:
 * subject, version, call.
 */
export const confirm = (subjects: Subjects): Script =>
  new Script(`${unconfirmed(subjects)}
if heldBack(ARGV[1]) ~= ARGV[2] and not isForgotten(ARGV[1], ARGV[2]) then
  return redis.call('GET', KEYS[1] .. confirmed .. ':' .. ARGV[1]) == ARGV[2] .. ' ' .. ARGV[3] and 1 or 0
end
release(ARGV[1])
noteConfirmed(ARGV[1], ARGV[2], ARGV[3])
return 1`);
