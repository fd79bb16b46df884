import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { MixedLoad } from './mixed-load.js';
import { slopeOf } from './slope.js';

/** `SOAK_MINUTES=60` looks for slower leaks. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
const samplesPerMinute = 4;
/** Until code is compiled, caches are full and the first devices are deleted. */
const warmUpMinutes = Math.min(3, minutes / 3);

const folder = mkdtempSync(join(tmpdir(), 'rookery-soak-'));
let receiver: WebhookReceiver;
let google: StandInFcm;
let server: ServerProcess;

beforeAll(async () => {
  await buildServer();
  receiver = await WebhookReceiver.start();
  google = await standInFcm({ record: false });
  const app = {
    ...testApp,
    clientEvents: true,
    subscriptionCount: true,
    history: [{ channels: 'private-a', events: 100 }],
    webhooks: [{ url: receiver.url('/hook') }],
  };
  const config = { apps: [app], instances: [{ ...instance, fcm: google.credentials }] };
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
  server = await ServerProcess.start({
    CONFIG_FILE: join(folder, 'rookery.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    ALLOW_PRIVATE_NETWORK: 'true',
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'memory-on-signal.cjs')}`,
  });
}, 180_000);
afterAll(async () => {
  await server?.stop();
  await google?.close();
  await receiver?.close();
  rmSync(folder, { recursive: true });
});

/** After a forced collection, in MB. `native` is what is resident beside V8's heap, whose free pages come and go. */
async function memory(): Promise<{ heap: number; native: number }> {
  server.output = '';
  receiver.received.length = 0;
  server.signal('SIGWINCH');
  await until(() => /collected \{.*\}\n/.test(server.output), 'the server collects its garbage', 60_000);
  const { rss, heapTotal, heapUsed } = JSON.parse(/collected (.*)/.exec(server.output)![1]!) as NodeJS.MemoryUsage;
  return { heap: heapUsed / 2 ** 20, native: (rss - heapTotal) / 2 ** 20 };
}

it(
  'does not grow in heap or other memory under a long mixed load',
  async () => {
    const load = new MixedLoad(server.port, 7);
    load.start();
    await sleep(warmUpMinutes * 60_000);
    const samples: Awaited<ReturnType<typeof memory>>[] = [];
    // Time is the subject here: what is kept for some minutes only has to be gone again.
    while (samples.length < (minutes - warmUpMinutes) * samplesPerMinute) {
      await sleep(60_000 / samplesPerMinute);
      samples.push(await memory());
    }
    await load.stop();
    expect(Object.keys(load.answers).sort()).toEqual([
      'delete 200',
      'publish 200',
      'register 200',
      'subscribe 200',
      'trigger 200',
    ]);
    const perMinute = (of: 'heap' | 'native') => slopeOf(samples.map((sample) => sample[of])) * samplesPerMinute;
    const shown = JSON.stringify(samples.map(({ heap, native }) => [heap.toFixed(1), native.toFixed(1)]));
    expect(perMinute('heap'), `MB a minute of [heap, native]: ${shown}`).toBeLessThan(0.5);
    expect(perMinute('native'), `MB a minute of [heap, native]: ${shown}`).toBeLessThan(1);
    console.log(`MB a minute: heap ${perMinute('heap').toFixed(2)}, native ${perMinute('native').toFixed(2)}`);
  },
  (minutes + 5) * 60_000,
);
