import { expect, it } from 'vitest';
import { severalBy } from './one-of-several.js';

const pm2 = (more: object): NodeJS.ProcessEnv => ({ pm_id: '0', NODE_APP_INSTANCE: '0', ...more });

it.each([
  ['a process alone', {}, false, undefined],
  ['a worker of node:cluster', {}, true, 'node:cluster'],
  ['a process of pm2', pm2({}), false, undefined],
  ['the only process of pm2 in cluster mode', pm2({ instances: '1' }), true, undefined],
  ['one of several processes of pm2', pm2({ instances: '2' }), true, 'pm2'],
  ['one of several in fork mode', pm2({ instances: '2' }), false, 'pm2'],
  ['one that `pm2 scale` has added', pm2({ instances: '1', NODE_APP_INSTANCE: '1' }), true, 'pm2'],
  ['a process with a number for the package config', { NODE_APP_INSTANCE: '1' }, false, undefined],
])('finds what starts several of %s', (_what, environment, isWorker, by) => {
  expect(severalBy(environment, isWorker)).toBe(by);
});
