import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { missing } from './services.js';

/** A `describe` for tests that fill a disk: a file system in memory. Many containers may not mount one, in CI too. */
export function describeSmallDisk(title: string, tests: () => void): void {
  const isAble = inject('services') && canMount();
  if (inject('services') && !isAble) missing('mounting is not allowed here', true);
  (isAble ? describe : describe.skip)(title, tests);
}

/** A disk of a test's own, which is soon full. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  static mount(megabytes: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
    // PostgreSQL is not root.
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
    chownSync(folder, id('-u'), id('-g'));
    return new SmallDisk(folder);
  }

  /** Takes all the room that is left, while others may write as well. */
  fill(): void {
    const block = Buffer.alloc(65_536);
    const file = openSync(join(this.folder, 'filling'), 'w');
    try {
      for (;;) writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  clear(): void {
    rmSync(join(this.folder, 'filling'));
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}

function canMount(): boolean {
  try {
    SmallDisk.mount(1).unmount();
    return true;
  } catch {
    return false;
  }
}
