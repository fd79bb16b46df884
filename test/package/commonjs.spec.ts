import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

/** What also runs without Node, and its names. */
const spec = `
const { RookeryChatTransport } = require('@rookery/client/ai');
const { newSessionId, sharedPusher } = require('@rookery/client');
const { channelsClient, RequestFailed } = require('@rookery/client/server');

it('has what pages, chats and servers without Node use', () => {
  expect(newSessionId()).toMatch(/^[\\w-]+$/);
  expect([RookeryChatTransport, channelsClient, sharedPusher].map((each) => typeof each)).toEqual(Array(3).fill('function'));
  expect(new RequestFailed(new Response('', { status: 401 }), 'refused')).toBeInstanceOf(Error);
});
`;

const typed = `
import { RookeryChatTransport } from '@rookery/client/ai';
import { sharedPusher, type LiveState } from '@rookery/client';
import { channelsClient } from '@rookery/client/server';

export const client = channelsClient({ appId: '1', key: 'k', secret: 's', url: 'https://example.com' });
// @ts-expect-error: the types are known.
export const wrong: number = client;
export type Live = LiveState<string>;
export const all = [RookeryChatTransport, sharedPusher];
`;

const compilerOptions = { strict: true, noEmit: true, lib: ['ES2023', 'DOM'], types: ['node'] };

describePackage('required as CommonJS', () => {
  it.each(['29.7.0', '30.5.2'])(
    'is known to specs of Jest %s, as it is set up by default',
    async (jest) => {
      const dependencies = { jest, '@rookery/client': `file:${tarballOf('@rookery/client')}` };
      const folder = folderWith(`jest ${jest}`, {
        'package.json': { private: true, dependencies },
        'entries.spec.js': spec,
      });
      await npmInstall(folder);
      for (const line of [20.19, 24] as const)
        expect(await run(node(line), ['node_modules/jest/bin/jest.js'], folder)).toContain('Tests:       1 passed');
    },
    minutes(6),
  );

  it(
    'compiles in CommonJS files, with the types of all libraries checked, and on the oldest Node',
    async () => {
      // The types of the AI SDK need some that it does not bring along.
      const ofAi = { ai: '^7.0.0', '@types/json-schema': '^7.0.0', '@types/node': '^24.0.0' };
      const dependencies = { ...ofAi, typescript: '6.0.3', '@rookery/client': `file:${tarballOf('@rookery/client')}` };
      const folder = folderWith('required', {
        'package.json': { private: true, dependencies },
        'typed.cts': typed,
        'tsconfig.json': { compilerOptions: { ...compilerOptions, module: 'nodenext' }, files: ['typed.cts'] },
      });
      await npmInstall(folder);
      expect(await run(process.execPath, ['node_modules/typescript/bin/tsc'], folder)).toBe('');
      const required = `for (const each of ['/ai', '', '/server']) console.log(require.resolve('@rookery/client' + each), Object.keys(require('@rookery/client' + each)).length > 0)`;
      const loaded = await run(node(20.19), ['-e', required], folder);
      expect(loaded.match(/\.cjs true/g)).toHaveLength(3);
    },
    minutes(4),
  );
});
