import { closeSync, fdatasync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);
const columns = ['history_id', 'position', 'previous', 'events_before', 'bytes_before', 'socket_id', 'text'];

/** What SQLite and the disk alone need for such events: for each group an INSERT, a commit and a sync of the log. */
export async function* bareCommits(seconds) {
  const { sqliteDriver } = await import('rookery/typeorm');
  const folder = mkdtempSync(join(tmpdir(), 'rookery-floor-'));
  const path = join(folder, 'floor.db');
  const connection = new sqliteDriver(path);
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  connection.exec(`CREATE TABLE events (${columns.join(', ')}, PRIMARY KEY (history_id, position)) WITHOUT ROWID`);
  const log = openSync(`${path}-wal`, 'r+');
  try {
    for (const together of [16, 32])
      yield {
        case: `bare commits of ${together} events`,
        server: 'SQLite',
        ...(await commits(connection, log, together, seconds)),
      };
  } finally {
    closeSync(log);
    connection.close();
    rmSync(folder, { recursive: true });
  }
}

let position = 0;

async function commits(connection, log, together, seconds) {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const insert = connection.prepare(`INSERT INTO events VALUES ${Array(together).fill(row).join(', ')}`);
  const text = 'x'.repeat(100);
  let count = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    connection.exec('BEGIN EXCLUSIVE');
    const group = Array.from({ length: together }, () => [1, ++position, position - 1, position, position, null, text]);
    insert.run(...group.flat());
    connection.exec('COMMIT');
    await sync(log);
    count += together;
  }
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { answersPerSecond: count / elapsed, serverCpuSeconds: (user + system) / 1e6, seconds: elapsed };
}
