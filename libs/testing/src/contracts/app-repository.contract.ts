import assert from 'node:assert/strict';
import type { App, AppRepository } from 'rookery/channels';
import { contract } from './contract.js';
import { matches } from './assertions.js';

/** The apps that an AppRepository under test must hold. Their ids, keys and secrets are easily confused on purpose. */
export const contractApps: readonly (Pick<App, 'id' | 'key' | 'secret'> & Partial<App>)[] = [
  { id: 'one', key: 'Key', secret: 'first' },
  {
    id: 'two',
    key: 'key',
    secret: 'second',
    keys: [
      { key: 'old', secret: 'Key' },
      { key: 'older', secret: 'key' },
    ],
  },
  { id: 'Key', key: 'one', secret: 'third' },
];

/** The contract of every AppRepository. */
export const describeAppRepository = contract<AppRepository>('AppRepository', [
  {
    promise: 'finds each app by its id and by its key, exactly',
    async test(apps) {
      for (const app of contractApps) {
        const { id, key, secret } = app;
        matches(await apps.findById(id), { id, key, secret });
        matches(await apps.findByKey(key), { id, key, secret });
      }
    },
  },
  {
    promise: 'finds an app by each of its additional keys, if it supports them, and answers all of them',
    async test(apps) {
      for (const app of contractApps) {
        const kept = await apps.findById(app.id);
        if (kept?.keys) for (const { key } of app.keys ?? []) matches(await apps.findByKey(key), app);
      }
    },
  },
  {
    promise: 'answers nothing for unknown ids and keys',
    async test(apps) {
      for (const unknown of ['', 'ONE', 'one ', 'two\0', '__proto__', 'constructor', 'OLD', 'second'])
        for (const found of [await apps.findById(unknown), await apps.findByKey(unknown)])
          assert.equal(found ?? undefined, undefined);
    },
  },
]);
