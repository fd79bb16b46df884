// What the bench asks of a server that it measures, by signals. SIGWINCH: to collect its garbage. SIGIO: to shrink its heap
// as well. SIGPWR: to write the longest turn of its event loop since the last time, in milliseconds, into a file with the
// name of the process.
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('SIGWINCH', () => {
    for (let i = 0; i < 4; i++) globalThis.gc?.();
  });

  process.on('SIGIO', () => {
    const session = new Session();
    session.connect();
    session.post('HeapProfiler.collectGarbage', () => session.disconnect());
  });

  // A timer at this interval: what it is late by is the turn that held it up.
  const resolution = 5;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  process.on('SIGPWR', () => {
    const file = join(process.env.BENCH_TURNS, String(process.pid));
    writeFileSync(`${file}.new`, String(Math.max(0, delays.max / 1e6 - resolution)));
    renameSync(`${file}.new`, file);
    delays.reset();
  });
}
