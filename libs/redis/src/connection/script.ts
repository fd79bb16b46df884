import { createHash } from 'node:crypto';

/** A function that Redis runs as one step: nothing else is done in between. */
export class Script {
  /** By which Redis knows a script that it has got once. */
  readonly sha: string;

  constructor(readonly lua: string) {
    this.sha = createHash('sha1').update(lua).digest('hex');
  }
}

/**
 * `nextVersion(key)`: a number of sixteen digits that is greater than all before it of the same key, also on a Redis that
 * has lost its memory, or a replica that lacked the last ones: it is never behind the clock, in microseconds.
 * `versionOf(key)`: the latest of them.
 */
export const versions = `
local function nextVersion(key)
  local time = redis.call('TIME')
  local version = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('GET', key) or '0')
  if version <= last then version = last + 1 end
  local text = string.format('%.0f', version)
  redis.call('SET', key, text, 'EX', 86400)
  return text
end
local function versionOf(key)
  local last = redis.call('GET', key)
  if last then return last end
  return nextVersion(key)
end
`;

/** Takes out the version that a key has: to one caller alone it answers 1. KEYS: the key. ARGV: the version. */
export const confirm = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);
