import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProjectFiles } from 'rookery/internal/schematics';
import { Fault } from './fault.js';

/** The files of a project on the disk. */
export class DiskFiles extends ProjectFiles {
  constructor(readonly root: string) {
    super();
  }

  read(path: string): string | undefined {
    return orNothing(undefined, () => readFileSync(join(this.root, path), 'utf8'));
  }

  write(path: string, text: string): void {
    const file = join(this.root, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      // What is new may have secrets, as `.env` has; a file that exists keeps its mode.
      writeFileSync(file, text, path.endsWith('.env') ? { mode: 0o600 } : {});
    } catch (error) {
      throw new Fault(`Cannot write ${file}: ${(error as Error).message}`);
    }
  }

  list(folder: string) {
    const entries = orNothing([], () => readdirSync(join(this.root, folder), { withFileTypes: true }));
    return {
      files: entries.filter((entry) => entry.isFile()).map(({ name }) => name),
      // Links are not followed: they may lead in a circle.
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    };
  }
}

/** What is read, or another answer where there is no such file or folder. */
function orNothing<Read, Nothing>(nothing: Nothing, read: () => Read): Read | Nothing {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return nothing;
    throw error;
  }
}
