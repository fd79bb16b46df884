// How fast the server sends one publish to a large audience, and how much memory that takes. The server runs from
// dist/ as users start it, on a SQLite file; the push service is a stand-in in another process, over TLS:
//   npm run build && node --import ./bench/support/typescript.mjs bench/push-fan-out.ts [apns|fcm|web …]
// AUDIENCE (100000) is the number of devices; DELAY_MS makes the service slower; SERVER_NODE_OPTIONS are the server's; PUBLISH has
// its settings of publishes as JSON, such as {"outcomeRetentionMs":0}.
// Where there is `taskset`, the server has core 0 for itself and the stand-in core 1. `npm run bench` has a row of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from 'rookery/push-device';
import { migrate, openDatabase, run } from 'rookery/internal/typeorm';
import { ServerProcess } from '../test/support/server-process.js';
import { forgetPeak, pinTo, usageOf } from './machine.mjs';
import { payloads, Service, shares, tell, wantedPlatforms } from './support/push-bench.js';

const audience = Number(process.env.AUDIENCE ?? 100_000);
const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 'secret' };
const settings: unknown = JSON.parse(process.env.PUBLISH ?? '{}');
const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

async function measure(platform: Platform): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-bench-'));
  const service = await Service.start(platform);
  try {
    const { credentials, tokens } = service.ready;
    await fill(`sqlite:${join(folder, 'rookery.db')}`, platform, tokens);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ instances: [{ ...instance, [platform]: credentials }], publish: settings }),
    );
    return { platform, audience, ...(await publishTo(platform, folder, service)) };
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Many devices share a token, so that the stand-in need not know a million. */
async function fill(url: string, platform: Platform, tokens: readonly string[]): Promise<void> {
  const database = await openDatabase(url);
  await migrate(database.dataSource);
  for (let start = 0; start < audience; start += 10_000)
    await database.write(() => devices(start, Math.min(audience, start + 10_000), platform, tokens));
  await database.dataSource.destroy();
}

function* devices(start: number, end: number, platform: Platform, tokens: readonly string[]) {
  for (let index = start; index < end; index += 1) {
    const id = `${platform}-${crypto.randomUUID()}`;
    yield* run(
      `INSERT INTO rookery_devices
         (id, instance_id, platform, token, token_hash, bundle_identifier, metadata, registered_at)
       VALUES (?, ?, ?, ?, ?, 'com.example.app', '{}', 0)`,
      [id, instance.id, platform, tokens[index % tokens.length], String(index)],
    );
    yield* run(`INSERT INTO rookery_device_interests (instance_id, interest, device_id) VALUES (?, 'news', ?)`, [
      instance.id,
      id,
    ]);
  }
}

async function publishTo(platform: Platform, folder: string, service: Service): Promise<object> {
  const server = await ServerProcess.start({
    CONFIG_FILE: join(folder, 'config.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    ALLOW_PRIVATE_NETWORK: 'true',
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  });
  pinTo(server.pid, 'server');
  try {
    await pause(2000);
    return await measured(server, service, () => publish(server, platform));
  } finally {
    await server.stop();
  }
}

/** The figures of one publish. The memory is compared with what an idle server needs, and its peak is the kernel's. */
async function measured(server: ServerProcess, service: Service, work: () => Promise<number>): Promise<object> {
  forgetPeak(server.pid);
  const [start, idle, serviceCpu] = [performance.now(), usageOf(server.pid), service.cpuSeconds];
  const sent = await work();
  const [seconds, end] = [(performance.now() - start) / 1000, usageOf(server.pid)];
  const cpuSeconds = end.cpuSeconds - idle.cpuSeconds;
  return {
    sent,
    sendsPerSecond: Math.round(sent / seconds),
    microsecondsEach: Math.round((cpuSeconds * 1e6) / sent),
    idleMb: megabytes(idle.rss),
    peakMb: megabytes(end.peakRss),
    overIdleMb: megabytes(end.peakRss - idle.rss),
    ...shares(seconds, cpuSeconds, service.cpuSeconds - serviceCpu),
  };
}

/** Publishes, and answers how many were sent once all are. */
async function publish(server: ServerProcess, platform: Platform): Promise<number> {
  const publishes = `${server.url}/publish_api/v1/instances/${instance.id}/publishes`;
  const body = JSON.stringify({ interests: ['news'], [platform]: payloads[platform] });
  const answer = (await (await fetch(publishes, { method: 'POST', headers, body })).json()) as { publishId: string };
  for (;;) {
    await pause(100);
    const status = (await (await fetch(`${publishes}/${answer.publishId}`, { headers })).json()) as any;
    if (status.state === 'finished') return status.platforms[platform].sent;
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

for (const platform of wantedPlatforms()) tell(await measure(platform));
process.disconnect?.();
