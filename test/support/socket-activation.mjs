// Does what systemd does with a socket unit: opens a port, or a Unix socket at the given path, and starts the server again
// whenever it ends, with the listening socket as descriptor 3. It accepts no connection itself, since spawnSync() blocks its
// event loop.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

const [command, path] = process.argv.slice(2);
const server = createServer();
server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path }, () => {
  process.stdout.write(`Holding ${path ?? server.address().port}\n`);
  // There is no public way to get it.
  const { fd } = server._handle;
  // `exec` keeps the shell's process id for the server.
  const script = 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$1"';
  for (;;) {
    const { status } = spawnSync('sh', ['-c', script, process.execPath, command], {
      stdio: ['ignore', 'inherit', 'inherit', fd],
    });
    if (status === 1) process.exit(1);
  }
});
