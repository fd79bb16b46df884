import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { describePackage, folderWith, minutes, node, packagesIn, tarball, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

describePackage('the packed conformance suite', () => {
  it(
    'installs alone, in less than 5 MB, and judges a server',
    async () => {
      const folder = folderWith('judge', { 'package.json': { private: true } });
      await npmInstall(folder, tarballOf('@rookery/conformance'));
      const { names, bytes } = packagesIn(folder);
      expect(names).toEqual(['node_modules/@rookery/conformance']);
      expect(bytes).toBeLessThan(5e6);

      const served = folderWith('judged', { 'package.json': { private: true } });
      await npmInstall(served, tarball);
      const env = { ...process.env, PORT: '0', NODE_OPTIONS: '' };
      const server = spawn(node(24), ['node_modules/.bin/rookery'], {
        cwd: served,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      server.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const url = () => /Listening on (http:[^"\s]+)/.exec(output)?.[1] ?? '';
      try {
        await until(() => url() !== '', 'it listens', minutes(1));
        const app = { PUSHER_APP_ID: 'app-id', PUSHER_APP_KEY: 'app-key', PUSHER_APP_SECRET: 'app-secret' };
        for (const line of [20.19, 24] as const) {
          const judge = ['node_modules/.bin/rookery-conformance', '--url', url(), '--only', 'presence/'];
          expect(await run(node(line), judge, folder, app)).toMatch(/^all +[1-9]\d* +0 +0 +\d+$/m);
        }
      } finally {
        server.kill();
        if (server.exitCode === null) await once(server, 'exit');
      }
    },
    minutes(6),
  );

  it(
    'is a module, too, with its types and nothing that publint or attw find fault with',
    async () => {
      const suite = tarballOf('@rookery/conformance');
      const folder = folderWith('suite', {
        'package.json': {
          private: true,
          type: 'module',
          dependencies: {
            '@rookery/conformance': `file:${suite}`,
            publint: '0.3.25',
            '@arethetypeswrong/cli': '0.18.5',
            '@types/node': '20.19.43',
            typescript: '6.0.3',
          },
        },
        'suite.mts': `
          import { asTable, cases, judged } from '@rookery/conformance';
          const target = { url: 'http://127.0.0.1:9', appId: '1', key: 'k', secret: 's' };
          const first: string = cases[0]!.id;
          console.log(asTable(await judged(target, cases.filter(({ id }) => id === first))));`,
      });
      await npmInstall(folder);
      const installed = (command: string, ...args: readonly string[]) =>
        run(process.execPath, [`node_modules/.bin/${command}`, ...args], folder);
      await installed('tsc', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict', 'suite.mts');
      expect(await run(node(20), ['suite.mjs'], folder)).toMatch(/^all +0 +1 +0 +0$/m);
      expect(await installed('publint', '--strict', suite)).toContain('All good!');
      expect(await installed('attw', suite)).toContain('No problems found');
      const files = (await run('tar', ['tzf', suite], dirname(suite))).trim().split('\n');
      const expected =
        /^package\/([A-Z]+(\.md)?|package\.json|bin\/[\w-]+\.js|dist\/modules\/.*|dist\/types\/.*\.d\.ts)$/;
      expect(files.filter((path) => !expected.test(path))).toEqual([]);
    },
    minutes(4),
  );
});
