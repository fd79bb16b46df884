import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { MixedLoad } from './mixed-load.js';
import { slopeOf } from './slope.js';
import { type Held, SoakedServer } from './soaked-server.js';

/** `npm run soak -- --minutes 240` looks for slower leaks, under the whole load. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
/** How much of the load: other tests need the cores, too. */
const share = Number(process.env['SOAK_SHARE'] ?? 0.25);
/** Until code is compiled, caches are full and the first devices are deleted. */
const warmUpMinutes = Math.max(minutes / 10, Math.min(3, minutes / 3));
const sampleMs = Math.max(15_000, (minutes * 60_000) / 240);
/** The sweep of old publishes comes every ten minutes: only a long run sees it often enough. */
const seesSweeps = minutes >= 60;

/** How much more there may be at the end than after the warm-up, however long the run: memory in MB. */
const maxGrowth: Readonly<Record<keyof Held, number>> = {
  heap: 4,
  native: 8,
  rss: 16,
  descriptors: 8,
  timers: 8,
  rows: 50,
  oldPublishes: seesSweeps ? 300 : Infinity,
  redisKeys: 50,
};

let receiver: WebhookReceiver;
let google: StandInFcm;
let servers: Readonly<Record<'embedded' | 'shared', SoakedServer>>;

beforeAll(async () => {
  await buildServer();
  receiver = await WebhookReceiver.start();
  google = await standInFcm({ record: false });
  const surroundings = { webhookUrl: receiver.url('/hook'), fcm: google.credentials };
  const [embedded, shared] = await Promise.all([
    SoakedServer.embedded(surroundings),
    SoakedServer.shared(surroundings),
  ]);
  servers = { embedded, shared };
}, 180_000);
afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await google?.close();
  await receiver?.close();
});

/** What the server held in the course of a long mixed load with reloads. */
async function soaked(server: SoakedServer): Promise<{ readonly samples: readonly Held[]; readonly load: MixedLoad }> {
  const load = new MixedLoad(server.process.port, 7, share);
  load.start();
  const samples: Held[] = [];
  const startedAt = Date.now();
  const passed = (): number => (Date.now() - startedAt) / 60_000;
  // Time is the subject here: what is kept for some minutes only has to be gone again.
  while (passed() < minutes) {
    await sleep(sampleMs);
    receiver.received.length = 0;
    server.reload();
    const held = await server.held();
    if (passed() > warmUpMinutes) samples.push(held);
  }
  await load.stop();
  return { samples, load };
}

/** How much more there is at the end of the samples than at their beginning, by their slope. */
const growthOf = (samples: readonly Held[], of: keyof Held): number =>
  slopeOf(samples.map((held) => held[of])) * (samples.length - 1);

const rounded = (held: Held): string =>
  Object.values(held)
    .map((value: number) => Math.round(value))
    .join(' ');

async function expectNoMore(name: string, server: SoakedServer): Promise<void> {
  const { samples, load } = await soaked(server);
  const of = Object.keys(maxGrowth) as (keyof Held)[];
  const growth = Object.fromEntries(of.map((each) => [each, Number(growthOf(samples, each).toFixed(1))]));
  const shown = `${name}, ${of.join(' ')}: ${samples.map(rounded).join(', ')}`;
  const answers = JSON.stringify(load.answers);
  console.log(
    `${shown}\n${name} grew by ${JSON.stringify(growth)} under ${answers}, closed ${load.closedSlow} slow clients, ${load.lateConnections} of ${load.connections} connections late`,
  );
  const asked = ['delete 200', 'publish 200', 'register 200', 'subscribe 200', 'trigger 200'];
  // On a machine that is busy with other tests, Redis may answer too late: that is a 503, and rare, as is none at all.
  const answered = Object.keys(load.answers);
  const late = answered.filter((what) => what === 'trigger 503' || what.endsWith(' none'));
  expect(answered.filter((what) => !late.includes(what)).sort(), name).toEqual(asked);
  const lateAnswers = late.reduce((sum, what) => sum + load.answers[what]!, 0);
  expect(lateAnswers / load.answers['trigger 200']!, `late answers of ${name}`).toBeLessThan(0.005);
  expect(load.lateConnections / load.connections, `late connections of ${name}`).toBeLessThan(0.02);
  expect(load.closedSlow, `slow clients that ${name} has closed`).toBeGreaterThan(0);
  const grown = of.filter((each) => growth[each]! > maxGrowth[each]);
  expect(grown, `${JSON.stringify(growth)} of ${shown}`).toEqual([]);
}

it(
  'holds no more memory, descriptors, timers, rows and keys after a long mixed load with reloads and slow clients',
  async () => {
    // To the end for both, so that nothing runs on after the test.
    const ends = await Promise.allSettled(Object.entries(servers).map(([name, server]) => expectNoMore(name, server)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  },
  (minutes + 5) * 60_000,
);
