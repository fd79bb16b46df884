import { expect, it } from 'vitest';
import { describePackage, folderWith, node, packagesIn, tarballOf } from './installed.js';
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
});
