import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../load/client.mjs';
import { rookery } from '../servers.mjs';
import { sessions, subscriptions } from './hot-paths.mjs';

export const title =
  'Deploy: the server ends and another begins while 120 events come at 2 a second; seconds until all are back';
export const isLong = true;
export const measures = ['seconds', 'missing', 'doublesLeft', 'reconnections'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/deploy.mjs', ...subscriptions, ...sessions, 'libs/channels/src/lifecycle'];
export const columns = {
  seconds: 'All back after, s',
  missing: 'Events missing',
  doublesLeft: 'Duplicates',
  reconnections: 'Reconnections',
};

/** Each client has a session, and the channel a history in the database, which the next process finds. */
export async function* run({ quick, clients }) {
  const count = clients ?? (quick ? 500 : 5000);
  const folder = mkdtempSync(join(tmpdir(), 'rookery-deploy-'));
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
  const client = new Client();
  let server = await rookery(environment);
  try {
    const { target } = server;
    const load = { ...target, targets: [target.where], channel: 'kept', events: 120, perSecond: 2, count };
    const ran = client.ask('jitter', { ...load, isSteady: true });
    await client.ask('allJoined');
    await delay(20_000);
    const from = performance.now();
    await server.end();
    server = await rookery({ ...environment, PORT: String(target.where.port) });
    await client.ask('allJoined');
    const seconds = (performance.now() - from) / 1000;
    const { wanted, got, doublesLeft, reconnections } = await ran;
    yield { case: `${count} clients`, server: 'rookery', seconds, missing: wanted - got, doublesLeft, reconnections };
  } finally {
    await server.stop();
    client.stop();
    rmSync(folder, { recursive: true });
  }
}
