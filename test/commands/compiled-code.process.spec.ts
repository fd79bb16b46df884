import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildServer } from '../support/server-process.js';

describe('What V8 has compiled of a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-compiled-'));
  const schema = () =>
    execFileSync(process.execPath, [join(folder, 'rookery.js'), 'config', 'schema'], { encoding: 'utf8' });
  const kept = () => readdirSync(join(folder, 'compiled')).map((name) => join(folder, 'compiled', name));

  beforeAll(async () => {
    await buildServer();
    const product = join(import.meta.dirname, '../../dist/rookery');
    cpSync(product, folder, { recursive: true, filter: (path) => !path.startsWith(join(product, 'compiled')) });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is kept for its next run, and compiled again when it is unusable', { timeout: 60_000 }, () => {
    const printed = schema();
    expect(kept()).toEqual([expect.stringContaining(`config-${process.version}-`)]);
    const [path] = kept() as [string];
    const { mtimeMs, size } = statSync(path);
    expect(schema()).toBe(printed);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);

    const cut = (file: Buffer): Buffer => file.subarray(0, size / 2);
    const damaged = (file: Buffer): Buffer => file.fill(0xff, size / 2, size / 2 + 64);
    for (const spoilt of [cut, damaged, () => Buffer.alloc(0)]) {
      writeFileSync(path, spoilt(readFileSync(path)));
      expect(schema()).toBe(printed);
      expect(statSync(path).size).toBeGreaterThan(size / 2);
      expect(kept()).toEqual([path]);
    }
  });

  it('is done without where nothing can be written', { timeout: 60_000 }, () => {
    const printed = readFileSync(join(folder, 'config.schema.json'), 'utf8');
    rmSync(join(folder, 'compiled'), { recursive: true });
    writeFileSync(join(folder, 'compiled'), 'not a folder');
    expect(schema()).toBe(printed);
    rmSync(join(folder, 'compiled'));
  });
});
