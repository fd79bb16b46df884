import type { AppConfig, EditableAppRepository } from 'rookery/channels';
import { SettingsConflict } from 'rookery/common';
import { until } from '../until.js';
import { contract } from './contract.js';
import { expect } from './expect.js';

const news: AppConfig = {
  id: 'news',
  key: 'news-key',
  secret: 'news secret ünïcödé',
  clientEvents: true,
  webhooks: [{ url: 'https://example.com/', events: ['channel_occupied'], headers: { 'X-A': 'a' } }],
  limits: { eventDataBytes: 5 },
};
const chat: AppConfig = { id: 'chat', key: 'chat-key', secret: 's', keys: [{ key: 'old', secret: 't' }] };

/** What every EditableAppRepository must keep, beside the contract of AppRepository. It begins without an app. */
export const describeEditableAppRepository = contract<EditableAppRepository>('EditableAppRepository', [
  {
    promise: 'answers every app as it was saved, ordered by id',
    async test(apps) {
      for (const app of [news, chat]) await apps.save(app);
      expect((await apps.all()).map(({ settings }) => settings)).toEqual([chat, news]);
      expect((await apps.read('news'))?.settings).toEqual(news);
      expect(await apps.read('unknown')).toBeUndefined();
    },
  },
  {
    promise: 'finds saved apps, and no replaced or removed ones',
    async test(apps) {
      await apps.save(chat);
      expect([await apps.findById('chat'), await apps.findByKey('old')]).toEqual([chat, chat]);
      const renewed = { ...chat, key: 'new', keys: [{ key: 'chat-key', secret: 's' }] };
      await apps.save(renewed);
      expect([await apps.findByKey('new'), await apps.findByKey('chat-key')]).toEqual([renewed, renewed]);
      expect(await apps.findByKey('old')).toBeUndefined();
      await apps.remove('chat');
      expect([await apps.findById('chat'), await apps.findByKey('new')]).toEqual([undefined, undefined]);
      expect(await apps.all()).toEqual([]);
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
      expect(versions[0]).toBeGreaterThanOrEqual(1);
      expect(versions[1]).toBeGreaterThan(versions[0]!);
      expect(versions[2]).toBeGreaterThan(versions[1]!);
    },
  },
  {
    promise: 'keeps the versions of other apps',
    async test(apps) {
      await apps.save(news);
      const version = await versionOf(apps);
      await apps.save(chat);
      await apps.remove('chat');
      expect(await versionOf(apps)).toBe(version);
    },
  },
  {
    promise: 'saves and removes only the app of the given version',
    async test(apps) {
      await apps.save(news, 0);
      const version = await versionOf(apps);
      await apps.save({ ...news, secret: 'second' }, version);
      await expect(apps.save({ ...news, secret: 'third' }, version)).rejects.toBeInstanceOf(SettingsConflict);
      await expect(apps.remove('news', version)).rejects.toBeInstanceOf(SettingsConflict);
      expect(await apps.findById('news')).toMatchObject({ secret: 'second' });
      await apps.remove('news', await versionOf(apps));
      expect(await apps.findById('news')).toBeUndefined();
      await expect(apps.save(news, version)).rejects.toBeInstanceOf(SettingsConflict);
      expect(await apps.read('news')).toBeUndefined();
    },
  },
  {
    promise: 'adds an app with version 0 only if its id is new',
    async test(apps) {
      await apps.save(news, 0);
      await expect(apps.save({ ...news, key: 'another' }, 0)).rejects.toBeInstanceOf(SettingsConflict);
      expect(await apps.findById('news')).toEqual(news);
    },
  },
  {
    promise: 'lets only one of several changes of the same version succeed',
    async test(apps) {
      await apps.save(news);
      const version = await versionOf(apps);
      const changes = [1, 2, 3, 4, 5].map((maxConnections) => apps.save({ ...news, maxConnections }, version));
      const results = await Promise.allSettled(changes);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = results.findIndex(({ status }) => status === 'fulfilled') + 1;
      expect(await apps.findById('news')).toMatchObject({ maxConnections: winner });
    },
  },
  {
    promise: 'refuses a key that another app has, and changes nothing',
    async test(apps) {
      for (const app of [news, chat]) await apps.save(app);
      for (const key of ['chat-key', 'old'])
        for (const taken of [{ key }, { keys: [{ key, secret: 's' }] }])
          await expect(apps.save({ ...news, ...taken })).rejects.toBeInstanceOf(SettingsConflict);
      expect(await apps.findById('news')).toEqual(news);
      expect(await apps.findByKey('old')).toEqual(chat);
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
      expect(seen).toEqual([
        ['news', news],
        ['news', undefined],
      ]);
    },
  },
  {
    promise: 'ignores the removal of an unknown id',
    async test(apps) {
      await apps.remove('unknown');
      expect(await apps.all()).toEqual([]);
    },
  },
]);

async function versionOf(apps: EditableAppRepository): Promise<number> {
  return (await apps.read('news'))?.version ?? 0;
}
