import assert from 'node:assert/strict';
import type { AppConfig, AppRepository, EditableSettings } from 'rookery/channels';
import { SettingsConflict } from 'rookery/internal/common';
import { until } from '../until.js';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

const news: AppConfig = {
  id: 'news',
  key: 'news-key',
  secret: 'news secret ünïcödé',
  clientEvents: true,
  webhooks: [{ url: 'https://example.com/', events: ['channel_occupied'], headers: { 'X-A': 'a' } }],
  limits: { eventDataBytes: 5 },
};
const chat: AppConfig = { id: 'chat', key: 'chat-key', secret: 's', keys: [{ key: 'old', secret: 't' }] };

type EditableAppRepository = AppRepository & EditableSettings<AppConfig>;

/** The contract of an AppRepository whose apps can be edited (`editing`), beside that of AppRepository. It begins without an app. */
export const describeEditableAppRepository = contract<EditableAppRepository>('EditableAppRepository', [
  {
    promise: 'answers every app as it was saved, ordered by id',
    async test(apps) {
      for (const app of [news, chat]) await apps.save(app);
      same(
        (await apps.all()).map(({ settings }) => settings),
        [chat, news],
      );
      same((await apps.read('news'))?.settings, news);
      assert.equal(await apps.read('unknown'), undefined);
    },
  },
  {
    promise: 'finds saved apps, and no replaced or removed ones',
    async test(apps) {
      await apps.save(chat);
      same([await apps.findById('chat'), await apps.findByKey('old')], [chat, chat]);
      const renewed = { ...chat, key: 'new', keys: [{ key: 'chat-key', secret: 's' }] };
      await apps.save(renewed);
      same([await apps.findByKey('new'), await apps.findByKey('chat-key')], [renewed, renewed]);
      assert.equal(await apps.findByKey('old'), undefined);
      await apps.remove('chat');
      same([await apps.findById('chat'), await apps.findByKey('new')], [undefined, undefined]);
      same(await apps.all(), []);
    },
  },
  {
    promise: 'gives an app a greater version with each change, even after it was removed',
    async test(apps) {
      const versions: number[] = [];
      for (let n = 0; n < 3; n++) {
        await apps.save({ ...news, maxConnections: n });
        versions.push(await versionOf(apps));
        if (n === 1) await apps.remove('news');
      }
      assert.ok(versions[0]! >= 1);
      assert.ok(versions[1]! > versions[0]!);
      assert.ok(versions[2]! > versions[1]!);
    },
  },
  {
    promise: 'keeps the versions of other apps',
    async test(apps) {
      await apps.save(news);
      const version = await versionOf(apps);
      await apps.save(chat);
      await apps.remove('chat');
      assert.equal(await versionOf(apps), version);
    },
  },
  {
    promise: 'saves and removes only the app of the given version',
    async test(apps) {
      await apps.save(news, 0);
      const version = await versionOf(apps);
      await apps.save({ ...news, secret: 'second' }, version);
      await assert.rejects(apps.save({ ...news, secret: 'third' }, version), SettingsConflict);
      await assert.rejects(apps.remove('news', version), SettingsConflict);
      matches(await apps.findById('news'), { secret: 'second' });
      await apps.remove('news', await versionOf(apps));
      assert.equal(await apps.findById('news'), undefined);
      await assert.rejects(apps.save(news, version), SettingsConflict);
      assert.equal(await apps.read('news'), undefined);
    },
  },
  {
    promise: 'adds an app with version 0 only if its id is new',
    async test(apps) {
      await apps.save(news, 0);
      await assert.rejects(apps.save({ ...news, key: 'another' }, 0), SettingsConflict);
      same(await apps.findById('news'), news);
    },
  },
  {
    promise: 'lets only one of several changes of the same version succeed',
    async test(apps) {
      await apps.save(news);
      const version = await versionOf(apps);
      const changes = [1, 2, 3, 4, 5].map((maxConnections) => apps.save({ ...news, maxConnections }, version));
      const results = await Promise.allSettled(changes);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      const winner = results.findIndex(({ status }) => status === 'fulfilled') + 1;
      matches(await apps.findById('news'), { maxConnections: winner });
    },
  },
  {
    promise: 'refuses a key that another app has, and changes nothing',
    async test(apps) {
      for (const app of [news, chat]) await apps.save(app);
      for (const key of ['chat-key', 'old'])
        for (const taken of [{ key }, { keys: [{ key, secret: 's' }] }])
          await assert.rejects(apps.save({ ...news, ...taken }), SettingsConflict);
      same(await apps.findById('news'), news);
      same(await apps.findByKey('old'), chat);
    },
  },
  {
    promise: 'tells watchers which app has changed, once it answers the change',
    async test(apps) {
      const seen: [string, AppConfig | null | undefined][] = [];
      apps.watch?.((ids) => {
        for (const id of ids) void Promise.resolve(apps.findById(id)).then((found) => seen.push([id, found]));
      });
      await apps.findById('news');
      await apps.save(news);
      await until(() => seen.length === 1, 'it is told of the app', 1500);
      await apps.remove('news');
      await until(() => seen.length === 2, 'it is told that the app is gone', 1500);
      same(seen, [
        ['news', news],
        ['news', undefined],
      ]);
    },
  },
  {
    promise: 'ignores the removal of an unknown id',
    async test(apps) {
      await apps.remove('unknown');
      same(await apps.all(), []);
    },
  },
]);

async function versionOf(apps: EditableAppRepository): Promise<number> {
  return (await apps.read('news'))?.version ?? 0;
}
