import { once } from 'node:events';
import { rookery } from '../servers.mjs';
import { starts } from './hot-paths.mjs';

export const title = 'Start: from the command until the server is ready, milliseconds';
export const measures = ['ms', 'cpuMs'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/start.mjs', ...starts];

export async function* run({ withServer }) {
  await startAndEnd();
  yield* withServer('rookery', async function* (started) {
    const nothing = { cpuSeconds: 0 };
    const used = started.between(nothing, started.sample());
    yield { case: 'empty', ms: started.startMs, cpuMs: used.serverCpuSeconds * 1000, ...used };
  });
}

/** When the command ends, it keeps what V8 has compiled for the next start. */
async function startAndEnd() {
  const { child } = await rookery();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
