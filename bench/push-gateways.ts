// How many notifications a second each gateway sends to a stand-in in another process, over TLS:
//   npm run build && node --import ./bench/support/typescript.mjs bench/push-gateways.ts [apns|fcm|web …]
// RUNS (5), MEASURED_SECONDS (3) and CONCURRENCY (500) change how long and how hard; DELAY_MS makes the service slower.
// Where there is `taskset`, the sender has core 0 for itself and the stand-in core 1. `npm run bench` has a row of it.
import { ApnsGateway, FcmGateway, WebPushGateway, type PreparedNotification, type PushGateway } from 'rookery/publish';
import type { DeviceAddress, Platform } from 'rookery/push-device';
import { authority } from '../test/support/tls/index.js';
import { pinTo } from './machine.mjs';
import { payloads, Service, shares, tell, wantedPlatforms } from './support/push-bench.js';

const runs = Number(process.env.RUNS ?? 5);
const seconds = Number(process.env.MEASURED_SECONDS ?? 3);
const concurrency = Number(process.env.CONCURRENCY ?? 500);

const gateways: Record<Platform, () => PushGateway> = {
  apns: () => new ApnsGateway({ ca: authority }),
  fcm: () => new FcmGateway({ ca: authority }),
  web: () => new WebPushGateway({ ca: authority, allowPrivateNetwork: true }),
};

async function measure(platform: Platform): Promise<object> {
  const service = await Service.start(platform);
  const gateway = gateways[platform]();
  const notification = await prepare(gateway, platform, service.ready.credentials);
  const devices = service.ready.tokens.map((token, i) => addressed(platform, token, i));
  await sendFor(1, notification, devices);
  const figures = [];
  for (let run = 0; run < runs; run++) figures.push(await oneRun(service, notification, devices));
  await gateway.close();
  service.stop();
  return { platform, ...medianOf(figures) };
}

async function oneRun(service: Service, notification: PreparedNotification, devices: readonly DeviceAddress[]) {
  const before = { count: await service.count(), service: service.cpuSeconds, own: process.cpuUsage() };
  const start = performance.now();
  await sendFor(seconds, notification, devices);
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before.own);
  const sent = (await service.count()) - before.count;
  const ownSeconds = (user + system) / 1e6;
  const serviceSeconds = service.cpuSeconds - before.service;
  return {
    sendsPerSecond: Math.round(sent / elapsed),
    microsecondsEach: Math.round((ownSeconds * 1e6) / sent),
    serviceMicrosecondsEach: Math.round((serviceSeconds * 1e6) / sent),
    ...shares(elapsed, ownSeconds, serviceSeconds),
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
  const prepared = await gateway.prepare({
    instance: { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 's', [platform]: credentials },
    publishId: 'pubid-2c6c9c2e-0c5c-4a6c-9b0a-5d3c1f7f6a10',
    publishedAt: Date.now(),
    payload: payloads[platform],
  });
  if ('rejected' in prepared) throw new Error(prepared.rejected);
  return prepared;
}

function addressed(platform: Platform, token: string, i: number): DeviceAddress {
  return { id: `${platform}-${i}`, platform, token, bundleIdentifier: 'com.example.app', registeredAt: 0 };
}

function medianOf<Figures extends { readonly sendsPerSecond: number }>(figures: readonly Figures[]): Figures {
  const sorted = figures.toSorted((a, b) => a.sendsPerSecond - b.sendsPerSecond);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

pinTo(process.pid, 'server');
for (const platform of wantedPlatforms()) tell(await measure(platform));
process.disconnect?.();
