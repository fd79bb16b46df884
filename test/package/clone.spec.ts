import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blocksOf } from '../support/doc-blocks.js';
import { freePort } from '../support/free-port.js';
import { Terminals } from '../support/terminal.js';
import { describePackage, folderWith, minutes, pathWith } from './installed.js';
import { cloneLines, root, run } from './workshop.js';

// The first block of the README, typed as it stands there, in a clone that nothing was built in.

describePackage('a fresh clone', () => {
  it.each(cloneLines)(
    'serves, and prints triggered events in a second terminal, on Node %s',
    async (line) => {
      const folder = folderWith(`clone for ${line}`, {});
      // What an attempt has left that took too long.
      await rm(folder, { recursive: true });
      await run('git', ['clone', '--quiet', root, folder], root);
      const [block] = blocksOf('README.md', readFileSync(join(folder, 'README.md'), 'utf8'));
      const [serve = '', subscribe = '', trigger = ''] = block!.code
        .split('\n')
        .map((each) => each.replace(/ +#.*/, ''));
      // Another server may have the port of the page here.
      const port = await freePort();
      const environment = {
        ...process.env,
        PATH: pathWith(line),
        PORT: `${port}`,
        NODE_ENV: '',
        NODE_OPTIONS: '',
        // One clone has fetched what the others install.
        npm_config_prefer_offline: 'true',
      };
      const terminals = new Terminals(folder, environment);
      try {
        await terminals.start(serve).says(`http://127.0.0.1:${port}`, minutes(8));
        const second = terminals.start(subscribe);
        await second.says('Subscribed to my-channel');
        expect(await terminals.run(trigger)).toMatchObject({ code: 0 });
        await second.says('my-event');
        await second.says('{"hello":"world"}');
        const console = await fetch(`http://127.0.0.1:${port}/console`);
        expect(await console.text()).toContain('<title>Rookery console</title>');
        // What the command has compiled is there for the next start.
        expect(line < 22 || existsSync(join(folder, 'dist/rookery/compiled'))).toBe(true);
      } finally {
        await terminals.close();
      }
    },
    minutes(12),
  );
});
