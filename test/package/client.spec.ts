import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, packagesIn, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

const client = (): string => tarballOf('@rookery/client');

describePackage('the packed client', () => {
  it('installs alone, in less than 1 MB', async () => {
    const folder = folderWith('page', { 'package.json': { private: true } });
    await npmInstall(folder, client());
    const { names, bytes } = packagesIn(folder);
    expect(names).toEqual(['node_modules/@rookery/client']);
    expect(bytes).toBeLessThan(1e6);
    const entries = ['', '/ai', '/events', '/server'];
    const program = `for (const path of ${JSON.stringify(entries)}) console.log(typeof await import('@rookery/client' + path))`;
    expect(await run(node(20.19), ['--input-type=module', '-e', program], folder)).toBe('object\n'.repeat(4));
  });

  it.each(['ai@6', 'ai@7', 'pusher-js@8'])('installs beside %s', async (beside) => {
    const folder = folderWith(beside, { 'package.json': { private: true } });
    expect(await npmInstall(folder, client(), beside, '--dry-run')).toMatch(/added \d+ packages/);
  });

  it('contains what is built, and nothing else', async () => {
    const files = (await run('tar', ['tzf', client()], dirname(client()))).trim().split('\n');
    const expected = /^package\/([A-Z]+(\.md)?|package\.json|dist\/modules\/[\w.-]+|dist\/types\/.*\.d\.[cm]?ts)$/;
    expect(files.filter((path) => !expected.test(path))).toEqual([]);
  });

  it(
    'has nothing that publint or attw find fault with',
    async () => {
      const folder = folderWith('client lint', {
        'package.json': { private: true, dependencies: { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' } },
      });
      await npmInstall(folder);
      const installed = (command: string, ...args: readonly string[]) =>
        run(process.execPath, [join('node_modules/.bin', command), ...args], folder);
      expect(await installed('publint', '--strict', client())).toContain('All good!');
      expect(await installed('attw', client())).toContain('No problems found');
    },
    minutes(4),
  );
});
