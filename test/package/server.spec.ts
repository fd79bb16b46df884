import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, packagesIn, packedFrom, tarballOf } from './installed.js';
import { firstEvent } from './first-event.js';
import { npmInstall, run } from './workshop.js';

const command = 'node_modules/.bin/rookery';

/** A folder in which nothing but the server is installed: once for all tests, none of which may change it. */
async function installedAlone(): Promise<string> {
  const folder = folderWith('served', {});
  // npm writes this file last.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    folderWith('served', { 'package.json': { private: true } });
    await npmInstall(folder, tarballOf('@rookery/server'));
  }
  return folder;
}

describePackage('the packed server', () => {
  it('installs alone, in less than 8 MB', async () => {
    const { names, bytes } = packagesIn(await installedAlone());
    expect(names).toEqual(['node_modules/@rookery/server']);
    expect(bytes).toBeLessThan(8e6);
  });

  it('carries the commit that it was built from', async () => {
    const commit = await run('git', ['rev-parse', '--short=8', 'HEAD'], packedFrom());
    const { version } = JSON.parse(readFileSync(join(packedFrom(), 'package.json'), 'utf8')) as { version: string };
    const printed = await run(node(24), [command, '--version'], await installedAlone());
    expect(printed.trim()).toBe(`${version}+g${commit.trim()}`);
  });

  it(
    'installs into an empty folder without a script of its own, serves there, and delivers',
    async () => {
      const folder = await installedAlone();
      const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, object>;
      };
      expect(Object.entries(lock.packages).filter(([, entry]) => 'hasInstallScript' in entry)).toEqual([]);
      for (const line of [22, 24] as const) {
        const served = await firstEvent(node(line), folder);
        expect(served).toEqual({ event: { hello: 'world' }, page: expect.stringContaining('Rookery is running') });
      }
      expect(await run(node(20), [command, 'keys', 'vapid'], folder)).toContain('vapidPublicKey');
    },
    minutes(6),
  );

  it('writes a configuration with a schema that is there, checks it, and examines the server', async () => {
    const folder = folderWith('configured', {});
    await rm(folder, { recursive: true });
    await run('cp', ['-a', await installedAlone(), folder], dirname(folder));
    expect(await run(node(24), [command, 'init', 'rookery.json', '--yes'], folder)).toContain('rookery config check');
    const { $schema } = JSON.parse(readFileSync(join(folder, 'rookery.json'), 'utf8')) as { $schema: string };
    expect(existsSync(join(folder, $schema))).toBe(true);
    expect(await run(node(24), [command, 'config', 'check', 'rookery.json'], folder)).toContain('1 app: ');
    const { event } = await firstEvent(node(24), folder, async (url) => {
      // The services of browsers may not be reachable from here.
      const found = await run(node(24), [command, 'doctor', '--url', url], folder).catch(String);
      expect(found).toMatch(/^ok +http:.*delivered an event/m);
    });
    expect(event).toEqual({ hello: 'world' });
  });

  it(
    'names the database package on Node 20, and serves with it without compiling anything',
    async () => {
      const folder = folderWith('node 20', {});
      await rm(folder, { recursive: true });
      // A copy, since more is installed into it.
      await run('cp', ['-a', await installedAlone(), folder], dirname(folder));
      const migrating = () => run(node(20), [command, 'migrate'], folder);
      const sentence = await migrating().then(String, String);
      const [, ...install] = /`npm (install) (\S+)`/.exec(sentence) ?? [];
      expect(install).toEqual(['install', '@photostructure/sqlite@1']);
      // Our names are not published yet: a command that fetches one would run the code of whoever has taken it.
      expect(sentence).not.toMatch(/npx.*@rookery/);
      await npmInstall(folder, '--ignore-scripts', install[1]!);
      const served = await firstEvent(node(20), folder);
      expect(served).toEqual({ event: { hello: 'world' }, page: expect.stringContaining('Rookery is running') });
    },
    minutes(6),
  );
});
