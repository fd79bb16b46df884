import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import nestCli from '../../nest-cli.json' with { type: 'json' };
import { Terminals } from '../support/terminal.js';
import { describePackage, folderWith, minutes, packedFrom, pathWith } from './installed.js';
import { npmInstall, root } from './workshop.js';

it('nest-cli.json names every library and no other', () => {
  const libraries = Object.values(nestCli.projects).filter(({ type }) => type === 'library');
  expect(libraries.map((project) => project.root)).toEqual(readdirSync(join(root, 'libs')).map((lib) => `libs/${lib}`));
});

describePackage('the command line of Nest', () => {
  it(
    'builds and starts the server',
    async () => {
      const folder = folderWith('nest cli', { 'package.json': { private: true } });
      await npmInstall(folder, '@nestjs/cli@12.0.8');
      const terminals = new Terminals(packedFrom(), {
        ...process.env,
        // Its own dependencies want a newer Node than the oldest one that Rookery runs on.
        PATH: `${join(folder, 'node_modules/.bin')}:${pathWith(24)}`,
        PORT: '0',
        DATABASE_URL: 'sqlite::memory:',
        NODE_OPTIONS: '',
      });
      try {
        const server = terminals.start('nest start');
        await server.says('Listening on', minutes(6));
        const url = /Listening on (http:[^"\s]+)/.exec(server.stdout)![1]!;
        expect(await (await fetch(`${url}/console`)).text()).toContain('Rookery console');
      } finally {
        await terminals.close();
      }
    },
    minutes(8),
  );
});
