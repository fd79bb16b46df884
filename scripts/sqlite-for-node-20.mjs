// From Node 22.16 the embedded database is Node's own SQLite. Older ones need better-sqlite3, which is compiled where its
// authors' binary cannot be fetched: here, so that `npm ci` needs no compiler on all others. It has a folder and a lock
// file of its own, since npm does not install an optional peer of the package that no other package asks for.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./node-20/', import.meta.url));
const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

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
  console.log(`Node ${process.versions.node} has no SQLite of its own: installing better-sqlite3 for it`);
  const { status } = spawnSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
  mkdirSync(modules, { recursive: true });
  rmSync(`${modules}better-sqlite3`, { recursive: true, force: true });
  symlinkSync(`${folder}node_modules/better-sqlite3`, `${modules}better-sqlite3`, 'junction');
}
