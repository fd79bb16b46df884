// How fast the server sends one publish to a large audience, and how much memory that takes. The server runs from
// dist/ as users start it, on a SQLite file; the push service is a stand-in in another process, over TLS:
//   npm run build && node --import ./bench/support/typescript.mjs bench/push-fan-out.ts [apns|fcm|web …]
// AUDIENCE (100000) is the number of devices; DELAY_MS makes the service slower; SERVER_NODE_OPTIONS are the server's.
// Where there is `taskset`, the server has core 0 for itself and the stand-in core 1.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Platform } from 'rookery/push-device';
import { migrate, openDatabase, run } from 'rookery/typeorm';
import { ServerProcess } from '../test/support/server-process.js';
import type { PushService } from './support/push-service.js';

const audience = Number(process.env.AUDIENCE ?? 100_000);
const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 'secret' };
const text = { title: 'Hello', body: 'There is something new for you to read today.' };
const payloads = {
  apns: { aps: { alert: text } },
  fcm: { notification: text, data: { url: '/news/1' } },
  web: { notification: text, data: { url: '/news/1' } },
};
const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

async function measure(platform: Platform): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-bench-'));
  const service = fork(fileURLToPath(new URL('support/push-service.ts', import.meta.url)), [platform]);
  try {
    const [{ credentials, tokens }] = (await once(service, 'message')) as [PushService];
    await fill(`sqlite:${join(folder, 'rookery.db')}`, platform, tokens);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ instances: [{ ...instance, [platform]: credentials }] }),
    );
    return { platform, audience, ...(await publishTo(platform, folder, service)) };
  } finally {
    service.disconnect();
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

async function publishTo(platform: Platform, folder: string, service: ChildProcess): Promise<object> {
  const server = await ServerProcess.start({
    CONFIG_FILE: join(folder, 'config.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    ALLOW_PRIVATE_NETWORK: 'true',
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  });
  pin(server.pid, 0);
  pin(service.pid, 1);
  try {
    await pause(2000);
    const idle = residentMegabytes(server.pid);
    const [start, cpu] = [performance.now(), cpuSeconds(server.pid)];
    const { peak, sent } = await publish(server, platform);
    const seconds = (performance.now() - start) / 1000;
    return {
      sent,
      sendsPerSecond: Math.round(sent / seconds),
      serverMicrosecondsEach: Math.round(((cpuSeconds(server.pid) - cpu) * 1e6) / sent),
      idleMegabytes: idle,
      peakMegabytes: peak,
      grownMegabytes: peak - idle,
    };
  } finally {
    await server.stop();
  }
}

async function publish(server: ServerProcess, platform: Platform): Promise<{ peak: number; sent: number }> {
  const publishes = `${server.url}/publish_api/v1/instances/${instance.id}/publishes`;
  const body = JSON.stringify({ interests: ['news'], [platform]: payloads[platform] });
  const answer = (await (await fetch(publishes, { method: 'POST', headers, body })).json()) as { publishId: string };
  for (let peak = 0; ; await pause(250)) {
    peak = Math.max(peak, residentMegabytes(server.pid));
    const status = (await (await fetch(`${publishes}/${answer.publishId}`, { headers })).json()) as any;
    if (status.state === 'finished') return { peak, sent: status.platforms[platform].sent };
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** User and system time of all threads; Linux counts it in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pin(pid: number | undefined, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
}

const wanted = process.argv.slice(2).filter((name): name is Platform => name in payloads);
for (const platform of wanted.length > 0 ? wanted : (['apns', 'fcm', 'web'] as const))
  console.log(await measure(platform));
