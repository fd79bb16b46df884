import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const prefix = 'postgres-';

/** Of this program, whose migrations the data follows. */
function hashOfBuild(): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  for (const file of files.toSorted()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/** The data directory that `make` answers. It is made once for each build: other processes read it from a file. */
export async function savedData(make: () => Promise<Blob>): Promise<Blob> {
  const name = `${prefix}${hashOfBuild()}.tar`;
  const file = join(folder, name);
  try {
    return new Blob([readFileSync(file)]);
  } catch {
    const made = await make();
    // Several processes may make it at once.
    const written = `${file}.${process.pid}`;
    writeFileSync(written, Buffer.from(await made.arrayBuffer()));
    renameSync(written, file);
    for (const old of readdirSync(folder))
      if (old.startsWith(prefix) && old.endsWith('.tar') && old !== name) rmSync(join(folder, old), { force: true });
    return made;
  }
}
