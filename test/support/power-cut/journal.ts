import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { describe } from 'vitest';
import type { Random } from '../random.js';
import { describeWith } from '../services.js';

/** A `describe` for tests that cut the power: the library that journals writes is compiled for each run. */
export const describePowerCut: typeof describe | typeof describe.skip = describeWith('gcc', () =>
  ['/usr/bin/gcc', '/usr/local/bin/gcc'].some((path) => existsSync(path)),
);

const enum Kind {
  Create = 1,
  Write,
  Truncate,
  Sync,
  Rename,
  Unlink,
}

interface Record {
  readonly kind: Kind;
  readonly path: string;
  readonly offset: number;
  readonly data: Buffer;
}

/** As large as what a disk writes at once. */
const sectorBytes = 512;

/**
 * The changes that processes make to the files of a folder, from a copy of it on. Give the processes {@link environment}.
 * What is synced is on the disk. Of what is not, a power cut leaves any part, and tears a write between two sectors. Names
 * of files are taken for durable at once, in their order, as journalling file systems keep them.
 */
export class Journal {
  readonly environment: Readonly<{ [name: string]: string }>;
  private readonly own = mkdtempSync(join(tmpdir(), 'rookery-power-cut-'));
  private readonly file = join(this.own, 'journal');
  private readonly first = join(this.own, 'first');

  constructor(readonly folder: string) {
    const library = join(this.own, 'journal.so');
    const source = join(import.meta.dirname, 'journal.c');
    execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, source, '-ldl']);
    execFileSync('cp', ['-a', folder, this.first]);
    execFileSync('install', ['-m', '666', '/dev/null', this.file]);
    execFileSync('chmod', ['755', this.own]);
    this.environment = { LD_PRELOAD: library, POWER_CUT_FOLDER: folder, POWER_CUT_JOURNAL: this.file };
  }

  /** How far the journal has come: what is durable now is durable after a cut at this moment or later. */
  get now(): number {
    return statSync(this.file).size;
  }

  /** Makes `folder` what a power cut would have left at a moment; the processes have ended. */
  cutAt(moment: number, folder: string, random: Random): void {
    execFileSync('cp', ['-a', this.first, folder]);
    const unsynced = new Map<string, Record[]>();
    for (const record of recordsOf(readFileSync(this.file).subarray(0, moment))) {
      const { kind, path, data } = record;
      if (path.endsWith('-shm')) continue;
      const waiting = unsynced.get(path) ?? [];
      switch (kind) {
        case Kind.Create:
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          closeSync(openSync(join(folder, path), 'a', 0o600));
          break;
        case Kind.Write:
        case Kind.Truncate:
          unsynced.set(path, [...waiting, record]);
          break;
        case Kind.Sync:
          for (const each of waiting) apply(folder, each);
          unsynced.delete(path);
          break;
        case Kind.Rename:
          // PostgreSQL writes caches by stdio, past the journal.
          if (!existsSync(join(folder, path))) break;
          renameSync(join(folder, path), join(folder, String(data)));
          unsynced.delete(path);
          unsynced.set(String(data), waiting);
          break;
        case Kind.Unlink:
          rmSync(join(folder, path), { force: true });
          unsynced.delete(path);
          break;
        default:
          kind satisfies never;
      }
    }
    for (const waiting of unsynced.values()) applySome(folder, waiting, random);
  }

  close(): void {
    rmSync(this.own, { recursive: true });
  }
}

/** A record that was not written to its end is left out. */
function* recordsOf(journal: Buffer): Generator<Record> {
  const headerBytes = 24;
  for (let at = 0; at + headerBytes <= journal.length;) {
    const kind = journal.readUInt32LE(at) as Kind;
    const pathEnd = at + headerBytes + journal.readUInt32LE(at + 4);
    const offset = Number(journal.readBigUInt64LE(at + 8));
    const end = pathEnd + Number(journal.readBigUInt64LE(at + 16));
    if (end > journal.length) return;
    const path = journal.toString('utf8', at + headerBytes, pathEnd);
    yield { kind, path, offset, data: journal.subarray(pathEnd, end) };
    at = end;
  }
}

function apply(folder: string, { kind, path, offset, data }: Record): void {
  const file = openSync(join(folder, path), 'r+');
  if (kind === Kind.Truncate) ftruncateSync(file, offset);
  else writeSync(file, data, 0, data.length, offset);
  closeSync(file);
}

/** All, none, or some of them, and of some a part. */
function applySome(folder: string, records: readonly Record[], random: Random): void {
  const share = [0, 0.5, 1][Math.floor(random.next() * 3)]!;
  for (const record of records) {
    if (random.next() >= share) continue;
    const sectors = Math.ceil(record.data.length / sectorBytes);
    const isTorn = share < 1 && random.next() < 0.2;
    const length = isTorn ? Math.floor(random.next() * sectors) * sectorBytes : record.data.length;
    apply(folder, { ...record, data: record.data.subarray(0, length) });
  }
}
