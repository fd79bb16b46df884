import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The release before this one, whose packed server is in test/releases. Its README says how to replace it. */
export const previousRelease = 'e683019';

/** Unpacks the server of the previous release into a new folder. */
export function unpackPreviousRelease(): { readonly folder: string; readonly command: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-previous-'));
  const packed = fileURLToPath(new URL(`../releases/${previousRelease}.tgz`, import.meta.url));
  execFileSync('tar', ['-xzf', packed, '-C', folder]);
  // Before Node 22.16, SQLite is a package of its own.
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  return { folder, command: join(folder, 'bin/rookery.js') };
}
