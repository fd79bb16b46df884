import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The pages are built once, into `dist/console`: beside the folder of the packed command, and above what is compiled. */
const folders = [join(__dirname, '../console'), join(rootOf(__dirname), 'dist/console')];

/** The sources and what is compiled of them (`dist`) are below it. */
function rootOf(folder: string): string {
  return folder.replace(/[\\/](dist[\\/])?(apps|libs)[\\/].*$/, '');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** A file of the pages. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Its name changes when it does. */
  readonly isHashed: boolean;
}

/** The folder of the pages; undefined where they are not built. */
export const consoleFolder = (): string | undefined => folders.find((folder) => existsSync(join(folder, 'index.html')));

/** No dot begins a segment, so none leads out of the folder. */
const plainPath = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** @returns the file of that name below the folder, or undefined */
export async function consoleFile(folder: string, name: string): Promise<ConsoleFile | undefined> {
  const type = types[extname(name)];
  if (type === undefined || !plainPath.test(name)) return undefined;
  try {
    return { bytes: await readFile(join(folder, name)), type, isHashed: name.startsWith('assets/') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
