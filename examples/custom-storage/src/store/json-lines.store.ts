import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Write } from './document.store.js';
import { MemoryStore } from './memory.store.js';

/**
 * Documents in memory, and each commit as a line of a file, so that the next start finds them again. For one process.
 * A commit waits until its line is on the disk, and a commit that read a document waits for that document's line too.
 * Commits that wait together share a write.
 */
export class JsonLinesStore extends MemoryStore {
  private file!: FileHandle;
  private readonly lines: string[] = [];
  /** Once it has failed, all later ones fail too: the memory has documents that the next start would not find. */
  private underWay: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  static async open(name: string): Promise<JsonLinesStore> {
    const store = new JsonLinesStore();
    await mkdir(dirname(name), { recursive: true });
    for (const writes of await linesOf(name)) store.apply(writes);
    await store.begin(name);
    return store;
  }

  /** Nest calls it when the application has closed, after everything that may still write. */
  async onApplicationShutdown(): Promise<void> {
    await (this.next ?? this.underWay);
    await this.file.close();
  }

  protected override keep(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return this.next ?? this.underWay;
    this.lines.push(`${JSON.stringify(writes)}\n`);
    return (this.next ??= this.underWay.then(() => {
      this.underWay = this.next!;
      this.next = undefined;
      return this.append(this.lines.splice(0));
    }));
  }

  private async append(lines: readonly string[]): Promise<void> {
    await this.file.appendFile(lines.join(''));
    await this.file.datasync();
  }

  /** With what is left of the old file; a crash in the middle leaves the old one as it is. */
  private async begin(name: string): Promise<void> {
    this.file = await open(`${name}.new`, 'w');
    await this.append(this.all().map((write) => `${JSON.stringify([write])}\n`));
    await rename(`${name}.new`, name);
  }
}

/** A last line without its end was cut off by a crash, before it was acknowledged. */
async function linesOf(name: string): Promise<(readonly Write[])[]> {
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as readonly Write[]);
}
