// `npm run start:dev`: serves, and restarts at each change of a source. It does not bundle packages, so a change is built
// in well under a second.
import { spawn, spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { watch } from 'rolldown';
import { fromSources, root } from './from-sources.mjs';

/** Below dist/apps, like the compiler's output: the server finds its pages from there. */
const file = 'dist/apps/dev/rookery.js';
const goodbyeMs = 300;

let server;

function stopServer() {
  if (!server || server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill();
  // Connected clients do not delay the next start.
  const late = setTimeout(() => server.kill('SIGKILL'), goodbyeMs);
  return ended.finally(() => clearTimeout(late));
}

async function restart() {
  await stopServer();
  server = spawn(process.execPath, ['--enable-source-maps', file, 'serve', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
}

const pages = spawnSync(process.execPath, ['scripts/build.mjs', 'console'], { cwd: root, stdio: 'inherit' });
if (pages.status !== 0) process.exit(pages.status ?? 1);

const watcher = watch({
  ...fromSources,
  input: 'apps/cli/src/rookery.ts',
  external: /^(?!@?rookery\/|@oxc-project\/)[@a-z]/,
  output: { file, format: 'cjs', codeSplitting: false, sourcemap: true },
});
watcher.on('change', (path) => console.log(`Changed: ${relative(root, path)}`));
let isBuilt = false;
let restarts = Promise.resolve();
watcher.on('event', async (event) => {
  if (event.code === 'START') isBuilt = true;
  if (event.code === 'BUNDLE_END') await event.result.close();
  if (event.code === 'ERROR') {
    // The server of the last valid sources keeps running.
    isBuilt = false;
    console.error(event.error.message);
  }
  // One after the other: the port is free once the last server is gone.
  if (event.code === 'END' && isBuilt) restarts = restarts.then(restart);
});

async function stop() {
  await stopServer();
  await watcher.close();
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
