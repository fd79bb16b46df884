// How many notifications a second each gateway sends to a stand-in in another process, over TLS:
//   npm run build && node --import ./bench/support/typescript.mjs bench/push-gateways.ts [apns|fcm|web …]
// RUNS (5), SECONDS (3) and CONCURRENCY (500) change how long and how hard; DELAY_MS makes the service slower.
// Where there is `taskset`, the sender has core 0 for itself and the stand-in core 1.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ApnsGateway, FcmGateway, WebPushGateway, type PreparedNotification, type PushGateway } from 'rookery/publish';
import type { DeviceAddress, Platform } from 'rookery/push-device';
import { authority } from '../test/support/tls/index.js';
import type { PushService, PushServiceUsage } from './support/push-service.js';

const runs = Number(process.env.RUNS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const concurrency = Number(process.env.CONCURRENCY ?? 500);
const goals = { apns: 8000, fcm: 5000, web: 1500 };

const gateways: Record<Platform, () => PushGateway> = {
  apns: () => new ApnsGateway({ ca: authority }),
  fcm: () => new FcmGateway({ ca: authority }),
  web: () => new WebPushGateway({ ca: authority, allowPrivateNetwork: true }),
};

interface Figures {
  readonly perSecond: number;
  readonly senderMicroseconds: number;
  readonly serviceMicroseconds: number;
}

async function measure(platform: Platform): Promise<Figures[]> {
  const service = fork(fileURLToPath(new URL('support/push-service.ts', import.meta.url)), [platform]);
  pin(service.pid, 1);
  const [{ credentials, tokens }] = (await once(service, 'message')) as [PushService];
  const gateway = gateways[platform]();
  const notification = await prepare(gateway, platform, credentials);
  const devices = tokens.map((token, i) => addressed(platform, token, i));
  await sendFor(1, notification, devices);
  const figures: Figures[] = [];
  for (let run = 0; run < runs; run++) figures.push(await oneRun(service, notification, devices));
  await gateway.close();
  service.disconnect();
  return figures;
}

async function oneRun(service: ChildProcess, notification: PreparedNotification, devices: readonly DeviceAddress[]) {
  const [before, start, cpu] = [await usage(service), performance.now(), process.cpuUsage()];
  await sendFor(seconds, notification, devices);
  const [elapsed, { user, system }] = [(performance.now() - start) / 1000, process.cpuUsage(cpu)];
  const after = await usage(service);
  const sent = after.count - before.count;
  return {
    perSecond: sent / elapsed,
    senderMicroseconds: (user + system) / sent,
    serviceMicroseconds: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / sent,
  };
}

/** So many senders at once, each sending to the next device when its last has been taken. */
async function sendFor(duration: number, notification: PreparedNotification, devices: readonly DeviceAddress[]) {
  const end = performance.now() + duration * 1000;
  let next = 0;
  const sender = async () => {
    while (performance.now() < end) {
      const { outcome } = await notification.send(devices[next++ % devices.length]!);
      if (outcome !== 'delivered') throw new Error(`A device was ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sender));
}

async function prepare(gateway: PushGateway, platform: Platform, credentials: object): Promise<PreparedNotification> {
  const text = { title: 'Hello', body: 'There is something new for you to read today.' };
  const prepared = await gateway.prepare({
    instance: { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 's', [platform]: credentials },
    publishId: 'pubid-2c6c9c2e-0c5c-4a6c-9b0a-5d3c1f7f6a10',
    publishedAt: Date.now(),
    payload: platform === 'apns' ? { aps: { alert: text } } : { notification: text, data: { url: '/news/1' } },
  });
  if ('rejected' in prepared) throw new Error(prepared.rejected);
  return prepared;
}

function addressed(platform: Platform, token: string, i: number): DeviceAddress {
  return { id: `${platform}-${i}`, platform, token, bundleIdentifier: 'com.example.app', registeredAt: 0 };
}

async function usage(service: ChildProcess): Promise<PushServiceUsage> {
  service.send('usage');
  return ((await once(service, 'message')) as [PushServiceUsage])[0];
}

function pin(pid: number | undefined, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

pin(process.pid, 0);
const wanted = process.argv.slice(2).filter((name): name is Platform => name in goals);
for (const platform of wanted.length > 0 ? wanted : (['apns', 'fcm', 'web'] as const)) {
  const figures = await measure(platform);
  console.log({
    platform,
    sendsPerSecond: Math.round(median(figures.map((each) => each.perSecond))),
    goal: goals[platform],
    senderMicroseconds: Math.round(median(figures.map((each) => each.senderMicroseconds))),
    serviceMicroseconds: Math.round(median(figures.map((each) => each.serviceMicroseconds))),
  });
}
