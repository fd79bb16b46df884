import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, tarball } from './installed.js';
import { npmInstall, run } from './workshop.js';

const main = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';

class AppModule {}
const apps = [{ id: '1', key: 'key', secret: 'secret' }];
Module({ imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps })] })(AppModule);
const app = await NestFactory.create(AppModule, new FastifyAdapter());
await app.listen(0, '127.0.0.1');
const answer = await fetch((await app.getUrl()) + '/apps/1/channels');
console.log('answered ' + answer.status);
await app.close();
`;
const nest = { '@nestjs/common': '12.5.1', '@nestjs/core': '12.5.1', '@nestjs/platform-fastify': '12.5.0' };

describePackage('the packed package, installed by Yarn 4', () => {
  // Yarn installs no peer that the application does not name.
  it.each([
    ['pnp', ['--require', './.pnp.cjs', '--loader', './.pnp.loader.mjs']],
    ['node-modules', []],
  ] as const)(
    'is imported with nodeLinker: %s, without a missing peer',
    async (linker, options) => {
      const yarn = folderWith('yarn', { 'package.json': { private: true } });
      await npmInstall(yarn, '@yarnpkg/cli-dist@4.18.1');
      const dependencies = { ...nest, 'reflect-metadata': '0.2.2', rxjs: '7.8.2', rookery: `file:${tarball}` };
      const folder = folderWith(`yarn ${linker}`, {
        'package.json': { name: 'host', private: true, dependencies },
        'yarn.lock': '',
        '.yarnrc.yml': `nodeLinker: ${linker}\nenableTelemetry: false\nenableGlobalCache: false\n`,
        'main.mjs': main,
      });
      const registry = (await run('npm', ['config', 'get', 'registry', '--loglevel=error'], folder)).trim();
      const environment = { YARN_NPM_REGISTRY_SERVER: registry, YARN_GLOBAL_FOLDER: join(yarn, 'global'), CI: '' };
      const script = join(yarn, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
      const installed = await run(process.execPath, [script, 'install'], folder, environment);
      expect(installed, installed).not.toMatch(/YN0002|YN0060|YN0086/);
      expect(await run(node(24), [...options, 'main.mjs'], folder)).toContain('answered 401');
    },
    minutes(8),
  );
});
