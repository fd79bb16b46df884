import { type FileHandle, open, stat } from 'node:fs/promises';

/** The beginning of each SQLite file that is not encrypted. */
export const sqliteHeader = 'SQLite format 3\0';

/**
 * The files of an open SQLite database. A deleted or replaced file still accepts writes, but they are lost when the
 * process ends: only a look at its path reveals this.
 */
export class SqliteFiles {
  private constructor(
    private readonly path: string,
    private readonly hadHeader: boolean,
    private readonly inodes: Map<string, number>,
  ) {}

  /** @param path - empty for a database in memory */
  static async of(path: string): Promise<SqliteFiles | undefined> {
    if (path === '') return undefined;
    // An encrypted file does not have this header.
    return new SqliteFiles(path, (await headerOf(path)) === sqliteHeader, new Map([[path, (await stat(path)).ino]]));
  }

  /** @throws Error if new writes would be lost */
  async check(): Promise<void> {
    for (const path of [this.path, `${this.path}-wal`]) await this.checkInode(path);
    if (this.hadHeader && (await headerOf(this.path)) !== sqliteHeader) throw new Error(`${this.path} was overwritten`);
  }

  private async checkInode(path: string): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    const known = this.inodes.get(path);
    // SQLite creates the WAL at the first write.
    if (known === undefined && found) this.inodes.set(path, found.ino);
    if (known !== undefined && found?.ino !== known)
      throw new Error(`${path} was deleted or replaced while it was open`);
  }
}

async function headerOf(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(sqliteHeader.length), 0, sqliteHeader.length, 0);
    return buffer.toString('latin1');
  } finally {
    await file?.close();
  }
}
