import type { Redis } from 'ioredis';
import type { Keys } from '../keys.js';

/** What is run on keys, by scripts and beside them. */
export const keyCommands = [
  'DEL EXISTS EXPIRE GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSCAN HSET HSETNX HVALS INCR PEXPIRE PTTL SADD',
  'SET SMEMBERS SREM XADD XDEL XRANGE XTRIM ZADD ZCARD ZCOUNT ZPOPMIN ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREM',
  'ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGEBYLEX ZSCORE',
].flatMap((line) => line.split(' '));

export const channelCommands = ['SPUBLISH', 'SSUBSCRIBE'];

/** What else is run, by scripts and beside them. */
export const otherCommands = ['EVALSHA', 'INFO', 'PING', 'SUNSUBSCRIBE', 'TIME'];

/** Answers which commands the user is denied, on the key and the channel where they have one; it runs none of them. */
const denied = `
local denied = {}
for i = 3, #ARGV do
  local name, subject = string.match(ARGV[i], '^(%u+) ?(%l*)$')
  local isAllowed
  if subject == 'key' then isAllowed = redis.acl_check_cmd(name, ARGV[1], ARGV[1], ARGV[1], ARGV[1])
  elseif subject == 'channel' then isAllowed = redis.acl_check_cmd(name, ARGV[2])
  else isAllowed = redis.acl_check_cmd(name) end
  if not isAllowed then denied[#denied + 1] = name end
end
return denied`;

/**
 * Refuses a user who lacks a right that is needed later: the server would be ready and answer triggers with errors.
 * @throws Error that names the missing right, and the rights that are enough
 */
export async function checkRights(node: Redis, keys: Keys, username: string): Promise<void> {
  const asked = [
    ...keyCommands.map((name) => `${name} key`),
    ...channelCommands.map((name) => `${name} channel`),
    ...otherCommands,
  ];
  const subjects = [keys.ofNodes('rights'), `${keys.in(0)}${keys.topics}rights`];
  const missing = await node.call('eval', denied, 0, ...subjects, ...asked).then(
    (names) => names as readonly string[], // As the script answers.
    (error: Error) => refusedCommand(error),
  );
  if (missing.length === 0) return;
  const { prefix } = keys;
  const what = keyCommands.every((name) => missing.includes(name))
    ? `access keys that begin with ${prefix}:`
    : channelCommands.every((name) => missing.includes(name))
      ? `publish and subscribe to channels that begin with ${prefix}:`
      : `run ${missing.join(', ')}`;
  const rights = `~${prefix}:* &${prefix}:* +@all -@dangerous +info`;
  throw new Error(`The user ${username} may not ${what}. Give it at least: ${rights}`);
}

/** The script itself was refused. */
function refusedCommand(error: Error): readonly string[] {
  const [, name] = /^NOPERM .* run the '([^']+)' command/.exec(error.message) ?? [];
  if (name === undefined) throw error;
  return [name.toUpperCase()];
}
