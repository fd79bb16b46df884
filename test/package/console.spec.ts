import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, tarballsOf } from './installed.js';
import { nodeLines, npmInstall, run } from './workshop.js';

const main = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ConsoleModule } from '@rookery/console';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';

class AppModule {}
const apps = [{ id: '1', key: 'key', secret: 'secret' }];
const password = 'correct horse battery staple';
Module({
  imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps }), ConsoleModule.forRoot({ password })],
})(AppModule);
const app = await NestFactory.create(AppModule, new FastifyAdapter());
await app.listen(0, '127.0.0.1');
const page = await (await fetch((await app.getUrl()) + '/console')).text();
const script = /src="([^"]+\\.js)"/.exec(page)?.[1];
const found = await fetch((await app.getUrl()) + script);
console.log(/<title>.*<\\/title>/.exec(page)?.[0], found.status, found.headers.get('content-type'));
await app.close();
`;
const nest = { '@nestjs/common': '12.5.1', '@nestjs/core': '12.5.1', '@nestjs/platform-fastify': '12.5.0' };

describePackage('the packed console', () => {
  it(
    'serves its pages in an application of the kit',
    async () => {
      const ours = tarballsOf('rookery', '@rookery/console');
      const dependencies = { ...nest, 'reflect-metadata': '0.2.2', rxjs: '7.8.2', ...ours };
      const folder = folderWith('console', {
        'package.json': { private: true, dependencies },
        'main.mjs': main,
      });
      await npmInstall(folder);
      for (const line of nodeLines)
        expect(await run(node(line), ['main.mjs'], folder)).toContain(
          '<title>Rookery console</title> 200 text/javascript; charset=utf-8',
        );
    },
    minutes(6),
  );

  it(
    'says so in one line where it has another copy of the kit',
    async () => {
      const ours = tarballsOf('rookery', '@rookery/console');
      const dependencies = { ...nest, 'reflect-metadata': '0.2.2', rxjs: '7.8.2', ...ours };
      const folder = folderWith('two copies', { 'package.json': { private: true, dependencies }, 'main.mjs': main });
      await npmInstall(folder);
      const kit = join(folder, 'node_modules/rookery');
      const other = join(folder, 'node_modules/@rookery/console/node_modules/rookery');
      await cp(kit, other, { recursive: true });
      const said = await run(node(24), ['main.mjs'], folder).then(String, String);
      expect(said).toContain(
        `Two copies of rookery are loaded, ${join(other, 'dist/modules')} and ${join(kit, 'dist/modules')}.`,
      );
    },
    minutes(4),
  );
});
