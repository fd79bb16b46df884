import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { describePackage, folderWith, minutes, node, packagesIn, tarballOf } from './installed.js';
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
      await npmInstall(served, tarballOf('@rookery/server'));
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
          expect(await run(node(line), judge, folder, app)).toMatch(/^all +[1-9]\d* +0 +0 +0 +\d+$/m);
        }
      } finally {
        server.kill();
        if (server.exitCode === null) await once(server, 'exit');
      }
    },
    minutes(6),
  );

  it(
    'is a module, too, with its types',
    async () => {
      const folder = folderWith('suite', {
        'package.json': {
          private: true,
          type: 'module',
          dependencies: {
            '@rookery/conformance': `file:${tarballOf('@rookery/conformance')}`,
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
      const tsc = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict', 'suite.mts'];
      await run(process.execPath, ['node_modules/.bin/tsc', ...tsc], folder);
      expect(await run(node(20), ['suite.mjs'], folder)).toMatch(/^all +0 +1 +0 +0 +0$/m);
    },
    minutes(4),
  );
});
