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

/**
 * Unconfirmed disappearances, which a timely return cancels:
 *
 * - `unconfirmed-<subjects>:<subject>`, for a minute: the version at which it disappeared, and the process that delays
 *   the news
 * - `node-unconfirmed-<subjects>:<id>`, a set: the subjects whose news a process delays; when it dies, another takes
 *   over
 * - `confirmed-<subjects>:<subject>`, for two minutes: the version that was confirmed last, and the call that did
 */
export const unconfirmed = (subjects: Subjects): string => `
local unconfirmed = KEYS[1] .. 'unconfirmed-${subjects}:'
local ofNode = KEYS[1] .. 'node-unconfirmed-${subjects}:'
local confirmed = KEYS[1] .. 'confirmed-${subjects}:'
local function holdBack(node, subject, version)
  redis.call('SET', unconfirmed .. subject, version .. ' ' .. node, 'EX', 60)
  redis.call('SADD', ofNode .. node, subject)
  redis.call('EXPIRE', ofNode .. node, 120)
end
local function heldBack(subject)
  return string.match(redis.call('GET', unconfirmed .. subject) or '', '^(%d+) (.*)$')
end
local function release(subject)
  local version, node = heldBack(subject)
  if not version then return nil end
  redis.call('DEL', unconfirmed .. subject)
  redis.call('SREM', ofNode .. node, subject)
  return version
end
local function noteConfirmed(subject, version, call)
  redis.call('SET', confirmed .. subject, version .. ' ' .. call, 'EX', 120)
end
-- Confirms again what a process reports as confirmed, and answers whether the confirmation was lost, as with a master.
local function lacked(subject, version)
  local known = string.match(redis.call('GET', confirmed .. subject) or '', '^%d+')
  if known and known >= version then return false end
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
return version == ARGV[2] and node == ARGV[3] and 1 or 0`);

/**
 * Answers 1 to exactly one call, also when it is repeated, if the subject has not returned since the version. ARGV:
 * subject, version, call.
 */
export const confirm = (subjects: Subjects): Script =>
  new Script(`${unconfirmed(subjects)}
if heldBack(ARGV[1]) ~= ARGV[2] then
  return redis.call('GET', confirmed .. ARGV[1]) == ARGV[2] .. ' ' .. ARGV[3] and 1 or 0
end
release(ARGV[1])
noteConfirmed(ARGV[1], ARGV[2], ARGV[3])
return 1`);
