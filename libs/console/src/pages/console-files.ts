import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The built pages: beside the folder of the packed module, of the packed command, and above the compiled sources. */
const folders = [join(__dirname, '../pages'), join(__dirname, '../console'), join(rootOf(__dirname), 'dist/console')];

/** The sources and the compiled output (`dist`) are below it. */
function rootOf(folder: string): string {
  return folder.replace(/[\\/](dist[\\/])?(apps|libs)[\\/].*$/, '');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** A file of the pages. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Its name contains a hash of its content. */
  readonly isHashed: boolean;
}

/** The folder of the pages; undefined if they are not built. */
export const consoleFolder = (): string | undefined => folders.find((folder) => existsSync(join(folder, 'index.html')));

/** Segments must not begin with a dot, so no path leaves the folder. */
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
