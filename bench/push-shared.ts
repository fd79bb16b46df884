// How much sooner one publish is sent by several processes on one PostgreSQL, which it starts itself:
//   npm run build && node --import ./bench/support/typescript.mjs bench/push-shared.ts [1 2 3]
// AUDIENCE (20000) is the number of devices. The stand-in answers after DELAY_MS, and a process has CONCURRENCY (50)
// sends under way, so that the gateway is what is waited for: how it is with few cores.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from 'rookery/internal/typeorm';
import { startPostgres } from '../test/support/postgres.js';
import { ServerProcess } from '../test/support/server-process.js';
import { payloads, Service, tell } from './support/push-bench.js';

const audience = Number(process.env.AUDIENCE ?? 20_000);
const concurrency = Number(process.env.CONCURRENCY ?? 50);
const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 'secret' };
const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

const folder = mkdtempSync(join(tmpdir(), 'rookery-bench-'));
const postgres = await startPostgres();
const service = await Service.start('fcm');
const servers: ServerProcess[] = [];
try {
  const { credentials, tokens } = service.ready;
  await fill(tokens[0] ?? '');
  const publish = { concurrency: { fcm: concurrency } };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ instances: [{ ...instance, fcm: credentials }], publish }),
  );
  for (const processes of process.argv
    .slice(2)
    .map(Number)
    .concat(process.argv.length > 2 ? [] : [1, 2, 3])) {
    while (servers.length < processes) servers.push(await start());
    const began = performance.now();
    const sent = await published(servers[0]?.url ?? '');
    const seconds = (performance.now() - began) / 1000;
    tell({ processes, sent, seconds: Number(seconds.toFixed(1)), sendsPerSecond: Math.round(sent / seconds) });
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  service.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
}

function start(): Promise<ServerProcess> {
  return ServerProcess.start({
    CONFIG_FILE: join(folder, 'config.json'),
    DATABASE_URL: postgres.url,
    ALLOW_PRIVATE_NETWORK: 'true',
  });
}

async function fill(token: string): Promise<void> {
  const database = await openDatabase(postgres.url);
  await migrate(database.dataSource);
  await database.execute(
    `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, metadata, registered_at)
     SELECT 'fcm-' || gen_random_uuid(), ?, 'fcm', ?, n::text, '{}', 0 FROM generate_series(1, ${audience}) AS n`,
    [instance.id, token],
  );
  await database.execute(
    `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
     SELECT instance_id, 'news', id FROM rookery_devices`,
  );
  await database.execute('ANALYZE');
  await database.dataSource.destroy();
}

/** Publishes, and answers how many were sent once all are. */
async function published(url: string): Promise<number> {
  const publishes = `${url}/publish_api/v1/instances/${instance.id}/publishes`;
  const body = JSON.stringify({ interests: ['news'], fcm: payloads.fcm });
  const answer = (await (await fetch(publishes, { method: 'POST', headers, body })).json()) as { publishId: string };
  for (;;) {
    await new Promise((done) => setTimeout(done, 100));
    const status = (await (await fetch(`${publishes}/${answer.publishId}`, { headers })).json()) as any;
    if (status.state === 'finished') return status.platforms.fcm.sent;
  }
}
