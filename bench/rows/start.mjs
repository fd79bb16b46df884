import { once } from 'node:events';
import { rookery } from '../servers.mjs';

export const title = 'Start: from the command until the server is ready, milliseconds';
export const measures = ['ms'];
export const lessIsBetter = true;

export async function* run({ withServer }) {
  await startAndEnd();
  yield* withServer('rookery', async function* (started) {
    const nothing = { cpuSeconds: 0 };
    yield { case: 'empty', ms: started.startMs, ...started.between(nothing, started.sample()) };
  });
}

/** When the command ends, it keeps what V8 has compiled for the next start. */
async function startAndEnd() {
  const { child } = await rookery();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
