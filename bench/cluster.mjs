// A large cluster without clients: 50 and 200 nodes' worth of all services above the Redis client, in this process,
// on one Redis and on a Redis Cluster of three. What they ask of Redis as nodes and channels grow.
//   npm run bench:cluster -- [nodes …]
// REDIS (1,3) are the numbers of Redis processes, MEMBERS (100000) those of the largest channel.
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { TestRedisCluster } from '../test/support/redis-cluster.ts';
import { TestRedis } from '../test/support/redis.ts';
import { until } from '../test/support/until.ts';
import { RedisCost } from './cluster/redis-cost.mjs';
import { SimulatedNode } from './cluster/simulated-node.mjs';

const redisCounts = (process.env.REDIS ?? '1,3').split(',').map(Number);
const members = Number(process.env.MEMBERS ?? 100_000);
/** The default. */
const heartbeatSeconds = 5;
/** Twice the default: this process is all nodes at once, and on a slow machine may hold them up for long. */
const leaseSeconds = 30;
/** For the same reason; a command that takes longer fails a join, and so this program. */
const commandTimeoutSeconds = 60;
const ownChannels = 100;
const inRoom = 100;

const all = (items, work) => Promise.all(items.map(work));

/** In groups, so that this process does not answer itself too late. */
async function inGroups(count, size, work) {
  for (let from = 0; from < count; from += size)
    await Promise.all(Array.from({ length: Math.min(size, count - from) }, (_, at) => work(from + at)));
}

async function measure(redisCount, count) {
  const redis = redisCount === 1 ? await TestRedis.start() : await TestRedisCluster.start();
  const cost = new RedisCost(redis.nodes ?? [redis]);
  const line = (what, units, unit, figures) => print([`${redisCount}`, `${count}`, what], units, unit, figures);
  const nodes = [];
  try {
    line(
      'start of all nodes',
      count,
      'node',
      await cost.of(async () => {
        while (nodes.length < count)
          nodes.push(
            await SimulatedNode.start({ url: redis.url, heartbeatSeconds, leaseSeconds, commandTimeoutSeconds }),
          );
      }),
    );
    const beats = 2;
    const idle = () => cost.ofIdle(() => delay(beats * heartbeatSeconds * 1000));
    line('heartbeat without channels', beats * count, 'node', await idle());

    const subscribe = () => all(nodes, (node, at) => node.subscribe(names(`own-${at}-`, ownChannels)));
    line(`${ownChannels} channels of each node's own`, ownChannels * count, 'channel', await cost.of(subscribe));
    await all(nodes, (node) => node.subscribe(names('shared-', inRoom)));
    line(`heartbeat with ${ownChannels + inRoom} channels`, beats * count, 'node', await idle());

    const room = { scope: 'app', name: 'presence-large' };
    const fill = () =>
      inGroups(members, 2000, (n) => nodes[n % count].presence.join(room, `1.${n}`, { userId: `user-${n}` }));
    line(`${members} members join one channel`, members, 'member', await cost.of(fill));
    line('its roster is read', 1, 'roster', await cost.of(() => nodes[0].presence.roster(room)));
    const newcomers = Array.from({ length: 20 }, (_, n) => `newcomer-${n}`);
    line(
      '20 clients join it at one node together',
      newcomers.length,
      'join',
      await cost.of(() => all(newcomers, (userId) => nodes[0].join(room.name, userId))),
    );

    const joins = 1000;
    line(
      `joins at 10,000 a minute, ${inRoom} to a channel`,
      joins,
      'join',
      await cost.of(async () => {
        const begun = performance.now();
        const joined = [];
        for (let n = 0; n < joins; n++) {
          joined.push(nodes[n % count].join(`presence-room-${n % (joins / inRoom)}`, `user-${n}`));
          await delay(Math.max(0, begun + n * 6 - performance.now()));
        }
        await Promise.all(joined);
      }),
    );

    const left = members / 2;
    const [dying] = nodes.splice(count - 1, 1);
    const rooms = Array.from({ length: left / inRoom }, (_, n) => `presence-left-${n}`);
    await inGroups(left, 2000, (n) =>
      dying.presence.join({ scope: 'app', name: rooms[n % rooms.length] }, `2.${n}`, { userId: `left-${n}` }),
    );
    // After the members: clients are told of the departure only of members that they know.
    const witnesses = await all(rooms, (name, n) => nodes[n % nodes.length].join(name, 'witness'));
    const heard = () => witnesses.reduce((sum, client) => sum + client.heard('member_removed'), 0);
    let firstMs;
    const figures = await cost.of(async () => {
      const from = performance.now();
      dying.die();
      await until(() => heard() > 0, 'the first member is removed', 120_000);
      firstMs = performance.now() - from;
      await until(() => heard() >= left, 'all members are removed', 300_000);
    });
    line(`death of a node with ${left} members`, left, 'member', figures);
    process.stdout.write(
      `| | | the first of them was removed after ${(firstMs / 1000).toFixed(1)} s | | | | | | | |\n`,
    );
  } finally {
    cost.close();
    await redis.stop();
  }
}

const names = (prefix, count) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

function print(head, units, unit, { ms, calls, commands, bytes, cpuMs, longestMs }) {
  const each = (value) => (value / units).toFixed(value / units >= 100 ? 0 : 2);
  const cells = [each(calls), each(commands), each(bytes), `${each(1000 * cpuMs)} µs`];
  const seconds = (ms / 1000).toFixed(1);
  process.stdout.write(
    `| ${[...head, unit, ...cells, `${seconds} s`, longestMs === undefined ? '' : `${longestMs} ms`].join(' | ')} |\n`,
  );
}

const [, script, ...asked] = process.argv;
if (asked[0] === 'measure') {
  await measure(Number(asked[1]), Number(asked[2]));
  process.exit(0);
}
const heads = [
  'Redis',
  'nodes',
  'what',
  'for each',
  'scripts',
  'commands',
  'bytes',
  'Redis CPU',
  'took',
  'longest command',
];
process.stdout.write(`| ${heads.join(' | ')} |\n| ${heads.map(() => '---').join(' | ')} |\n`);
// Each in a process of its own: hundreds of nodes do not stop quickly.
for (const redisCount of redisCounts)
  for (const count of asked.length > 0 ? asked : ['50', '200']) {
    const args = [...process.execArgv, script, 'measure', String(redisCount), count];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status === 0) continue;
    process.exitCode = 1;
    process.stderr.write(`${count} nodes on ${redisCount} Redis failed, so their figures are incomplete\n`);
  }
