// From Node 22.16 the embedded database is Node's own SQLite. Older ones need better-sqlite3, which is compiled where its
// authors' binary cannot be fetched: here, so that `npm ci` needs no compiler on all others.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const wanted = 'better-sqlite3@12.11.1';

const [major, minor] = process.versions.node.split('.').map(Number);
const hasSqlite = major > 22 || (major === 22 && minor >= 16);

function canLoad() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

if (!hasSqlite && !canLoad()) {
  console.log(`Node ${process.versions.node} has no SQLite of its own: installing ${wanted} for it`);
  const { status } = spawnSync('npm', ['install', '--no-save', wanted], { stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
}
