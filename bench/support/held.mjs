import { setImmediate as turn } from 'node:timers/promises';

/**
 * How long it took, and for how long at most nothing else could run meanwhile: by the clock, and in CPU time, which
 * other work on the machine and waits for the disk do not count in.
 */
export async function held(work) {
  await turn();
  const start = performance.now();
  let [longestMs, longestCpuMs] = [0, 0];
  let [at, cpu] = [start, process.cpuUsage()];
  const state = { isDone: false };
  // Some of the work is done within the call.
  const done = Promise.resolve(work()).finally(() => (state.isDone = true));
  while (!state.isDone) {
    await turn();
    const { user, system } = process.cpuUsage(cpu);
    longestMs = Math.max(longestMs, performance.now() - at);
    longestCpuMs = Math.max(longestCpuMs, (user + system) / 1000);
    [at, cpu] = [performance.now(), process.cpuUsage()];
  }
  await done;
  return { longestMs, longestCpuMs, totalMs: performance.now() - start };
}
