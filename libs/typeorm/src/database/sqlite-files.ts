import { type FileHandle, open, stat } from 'node:fs/promises';

const header = 'SQLite format 3\0';

/**
 * The files of an open SQLite database. One that is deleted or replaced takes writes as before, and all of them are gone
 * with the process: only its path tells.
 */
export class SqliteFiles {
  private constructor(
    private readonly path: string,
    private readonly hadHeader: boolean,
    private readonly inodes: Map<string, number>,
  ) {}

  /** @param path - none for a database in memory */
  static async of(path: string): Promise<SqliteFiles | undefined> {
    if (path === '') return undefined;
    // One that is encrypted has none.
    return new SqliteFiles(path, (await headerOf(path)) === header, new Map([[path, (await stat(path)).ino]]));
  }

  /** @throws Error when what is written now would not be found again */
  async check(): Promise<void> {
    for (const path of [this.path, `${this.path}-wal`]) await this.checkInode(path);
    if (this.hadHeader && (await headerOf(this.path)) !== header) throw new Error(`${this.path} was overwritten`);
  }

  private async checkInode(path: string): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    const known = this.inodes.get(path);
    // A WAL comes with the first write.
    if (known === undefined && found) this.inodes.set(path, found.ino);
    if (known !== undefined && found?.ino !== known)
      throw new Error(`${path} was deleted or replaced while it was open`);
  }
}

async function headerOf(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(header.length), 0, header.length, 0);
    return buffer.toString('latin1');
  } finally {
    await file?.close();
  }
}
