import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Awaitable } from '#common';
import type { App, AppConfig } from '../app/app.js';
import { AppRepository } from './app.repository.js';
import { Apps } from './apps.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';

class Three {
  constructor(readonly answer: () => AppConfig | undefined) {}
  findById = (): AppConfig | undefined => this.answer();
  findByKey = async (): Promise<AppConfig | undefined> => this.answer();
}
const apps = (answer: () => unknown): Apps => new Apps(new Three(answer as () => AppConfig) satisfies AppRepository);
const three = { id: '1', key: 'k', secret: 's' };

describe('Apps', () => {
  it('remembers when each key was used last, by its own text', () => {
    const further = ['older', 'old'].map((key) => ({ key, secret: 'o' }));
    const found = apps(() => ({ ...three, keys: further }));
    const app = found.findById('1') as App;
    expect([found.used(app, 'k', 10), found.used(app, 'old', 20), found.used(app, 'k', 30)]).toEqual(['k', 'old', 'k']);
    expect([...found.keysUsedAt]).toEqual([
      ['k', 30],
      ['old', 20],
    ]);
  });

  it('remembers the use of the latest 10,000 keys, and of a key that is gone as that of the current one', () => {
    const found = apps(() => three);
    const app = found.findById('1') as App;
    expect(found.used(app, 'gone', 1)).toBe('k');
    for (let n = 0; n < 10_000; n += 1) found.used({ ...app, key: `k${n}` }, `k${n}`, 2);
    expect([found.keysUsedAt.size, found.keysUsedAt.has('k'), found.keysUsedAt.get('k0')]).toEqual([10_000, false, 2]);
  });

  it('does not find an app by a key that has expired', async () => {
    const validUntil = '2001-01-01T00:00:00Z';
    const found = apps(() => ({ ...three, keys: [{ key: 'expired', secret: 'e', validUntil }] }));
    expect(await found.findByKey('expired')).toBeUndefined();
    const configured = { apps: [{ ...three, keys: [{ key: 'expired', secret: 'e', validUntil }] }] };
    expect(new Apps(new ConfiguredAppRepository(configured)).findByKey('expired')).toBeUndefined();
  });

  it('answers the promise of a database that is not a native one', async () => {
    const foreign: unknown = runInNewContext('Promise.resolve(three)', { three });
    expect(foreign).not.toBeInstanceOf(Promise);
    expect(await apps(() => foreign).findById('1')).toMatchObject(three);
  });

  it('fills in omitted settings, for synchronous and asynchronous repositories', async () => {
    const found = apps(() => ({ ...three, clientEvents: true }));
    const complete = { ...three, enabled: true, clientEvents: true, allowedOrigins: ['*'], maxConnections: null };
    expect(found.findById('1')).toMatchObject(complete);
    expect(await found.findByKey('k')).toMatchObject(complete);
  });

  it('fills in null and undefined columns, and keeps fields of the host', () => {
    const row = { ...three, enabled: null, webhooks: undefined, maxConnections: 5, tenant: 'red' };
    expect(apps(() => row).findById('1')).toMatchObject({
      enabled: true,
      webhooks: [],
      maxConnections: 5,
      tenant: 'red',
    });
  });

  it('reads the id, key and secret of a class that has them as getters', () => {
    class Row {
      get id(): string {
        return '1';
      }
      get key(): string {
        return 'k';
      }
      get secret(): string {
        return 's';
      }
    }
    expect(apps(() => new Row()).findById('1')).toMatchObject(three);
  });

  it('returns the same app object for the same stored settings', () => {
    const found = apps(() => three);
    expect(found.findById('1')).toBe(found.findById('1'));
  });

  it.each([undefined, null])('answers undefined for %s', async (nothing) => {
    const found = apps(() => nothing);
    expect([found.findById('1'), await found.findByKey('k')]).toEqual([undefined, undefined]);
  });
});

describe('Apps of the options and of a repository', () => {
  const ofFile = { id: 'file', key: 'file-key', secret: 's' };
  const stored = new Map([
    ['file', { id: 'file', key: 'hidden', secret: 'other' }],
    ['other', { id: 'other', key: 'file-key', secret: 't', keys: [{ key: 'other-key', secret: 't' }] }],
  ]);
  const repository = {
    findById: (id: string) => stored.get(id),
    findByKey: async (wanted: string) =>
      [...stored.values()].find((app: AppConfig) => [app, ...(app.keys ?? [])].some(({ key }) => key === wanted)),
  } satisfies AppRepository;
  const both = () => new Apps(repository, { apps: [ofFile] });

  it('are both served, and those of the options win by id and by key', async () => {
    const found = both();
    expect([found.findById('file'), found.findByKey('file-key')]).toMatchObject([ofFile, ofFile]);
    expect(found.findById('other')).toMatchObject({ secret: 't' });
    expect(await found.findByKey('other-key')).toMatchObject({ id: 'other' });
  });

  it('cannot be found by a key if the options have an app with their id', async () => {
    expect(await both().findByKey('hidden')).toBeUndefined();
  });

  it('need no name if the options name the default, or have a single app', () => {
    expect(both().defaultId).toBe('file');
    expect(new Apps(repository).defaultId).toBeUndefined();
    expect(new Apps(repository, { apps: [ofFile, { ...ofFile, id: 'b', key: 'b' }] }).defaultId).toBeUndefined();
    expect(new Apps(repository, { defaultApp: 'other' }).defaultId).toBe('other');
    expect(new Apps(repository, { apps: [ofFile], defaultApp: 'other' }).defaultId).toBe('other');
  });

  it('are reported when the options are replaced: added, changed and removed ones', () => {
    const apps = new Apps(repository, { apps: [ofFile, { ...ofFile, id: 'same', key: 'same' }] });
    const before = apps.findById('file') as App;
    const told: string[][] = [];
    apps.watch((ids) => told.push([...ids]));
    const same = { ...ofFile, id: 'same', key: 'same' };
    apps.configured!.replace([same, { ...ofFile, id: 'new', key: 'new' }, { ...ofFile, clientEvents: true }]);
    expect(told).toEqual([['file', 'new']]);
    expect(apps.latest(before)).toMatchObject({ clientEvents: true });
    apps.configured!.replace([same]);
    expect(told[1]).toEqual(['new', 'file']);
    apps.configured!.replace([same]);
    expect(told).toHaveLength(2);
  });

  it('need no repository', () => {
    const alone = new Apps(new ConfiguredAppRepository({ apps: [ofFile] }));
    const told: string[] = [];
    alone.watch((ids) => told.push(...ids));
    alone.configured!.replace([]);
    expect([told, alone.findById('file'), alone.findByKey('file-key')]).toEqual([['file'], undefined, undefined]);
  });

  it('stay unchanged when two new ones share a key', () => {
    const apps = both();
    const twice = [ofFile, { ...ofFile, id: 'b' }];
    expect(() => apps.configured!.replace(twice)).toThrow('two apps have the key "file-key"');
    expect(apps.findById('b')).toBeUndefined();
  });

  it('stay unchanged for their holders if the repository cannot report changes', () => {
    const apps = both();
    const other = apps.findById('other') as App;
    stored.delete('other');
    expect(apps.latest(other)).toBe(other);
  });

  it('are the latest where the repository reports changes and answers at once', async () => {
    let current: AppConfig | undefined = ofFile;
    let answers: (app: AppConfig | undefined) => Awaitable<AppConfig | undefined> = (app) => app;
    const told: string[] = [];
    const watched = {
      findById: () => answers(current),
      findByKey: () => current,
      watch: (changed: (ids: readonly string[]) => void) => changed(['file']),
    } satisfies AppRepository;
    const apps = new Apps(watched);
    const before = apps.findById('file') as App;
    apps.watch((ids) => told.push(...ids));
    expect(told).toEqual(['file']);
    current = { ...ofFile, clientEvents: true };
    expect(apps.latest(before)).toMatchObject({ clientEvents: true });
    current = undefined;
    expect(apps.latest(before)).toBeUndefined();
    // Unknown for now, and an unreachable database must not end the process.
    answers = () => Promise.reject(new Error('The database is unreachable'));
    expect(apps.latest(before)).toBe(before);
    await new Promise(setImmediate);
  });
});
