export const title = 'Start: from the command to the first connection accepted, milliseconds';
export const measures = ['ms'];
export const lessIsBetter = true;

export async function* run({ withServer }) {
  yield* withServer('rookery', async function* (started) {
    const nothing = { cpuSeconds: 0 };
    yield { case: 'empty', ms: started.startMs, ...started.between(nothing, started.sample()) };
  });
}
