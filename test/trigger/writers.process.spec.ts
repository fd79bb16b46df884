import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { buildModules } from '../support/server-process.js';

const script = fileURLToPath(new URL('../support/device-writer.mjs', import.meta.url));

beforeAll(buildModules, 180_000);

describeDatabases('Processes that write to one database', ({ database, url }) => {
  it('never fail with a lock error, never lose a write, and keep the limits together', async () => {
    const write = async (name: string): Promise<string[]> => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, url(), name, '150']);
      return JSON.parse(stdout) as string[];
    };
    const outcomes = (await Promise.all(['one', 'two', 'three'].map(write))).flat();
    expect(outcomes).toHaveLength(450);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(100);
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(350);
    const devices = new TypeOrmDeviceRepository(database());
    expect(await devices.inAudience('instance', { interests: ['news'] }, '', 1000)).toHaveLength(450);
    expect(await devices.inAudience('instance', { users: ['everybody'] }, '', 1000)).toHaveLength(100);
  }, 120_000);
});
