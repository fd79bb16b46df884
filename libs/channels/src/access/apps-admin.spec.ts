import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EditableSettings, SettingsConflict, type Versioned } from '#common';
import type { AppConfig } from '../app/app.js';
import { AppRepository } from './app.repository.js';
import { AppsAdmin } from './apps-admin.js';
import { Apps } from './apps.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';

/** Keeps apps in memory, by id. */
class Stored extends AppRepository {
  readonly kept = new Map<string, AppConfig>();
  override readonly editing: EditableSettings<AppConfig> = {
    all: async () => [...this.kept.values()].map(versioned),
    read: async (id) => (this.kept.has(id) ? versioned(this.kept.get(id)!) : undefined),
    save: async (app) => void this.kept.set(app.id, app),
    remove: async (id) => void this.kept.delete(id),
  };
  findById = (id: string): AppConfig | undefined => this.kept.get(id);
  findByKey = (): undefined => undefined;
}
const versioned = (settings: AppConfig): Versioned<AppConfig> => ({ settings, version: 1 });

let stored: Stored;
let admin: AppsAdmin;
beforeEach(() => {
  Logger.overrideLogger(false);
  stored = new Stored();
  admin = new AppsAdmin(new Apps(stored, { apps: [{ id: 'file', key: 'file-key', secret: 's' }] }));
});

describe('an app', () => {
  it('is created with an id, a key and a secret', async () => {
    const created = await admin.create({});
    expect(created).toEqual({
      id: expect.stringMatching(/^\d{6,7}$/),
      key: expect.stringMatching(/^[0-9a-f]{20}$/),
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await admin.all()).map(({ settings }) => settings.id)).toEqual(['file', created.id]);
  });

  it.each([
    ['id must be 1 to 100 letters', { id: 'a/b' }],
    ['id must be 1 to 100 letters', { id: 'a'.repeat(101) }],
    ['key must be 1 to 100 letters', { key: 'a b' }],
    ['key must be 1 to 100 letters', { keys: [{ key: '#', secret: 's' }] }],
    ['keys has a key and secret twice', { key: 'k', secret: 's', keys: [{ key: 'k', secret: 's' }] }],
    ['An app of the configuration has the key "file-key"', { key: 'file-key' }],
    ['An app of the configuration has the key "file-key"', { keys: [{ key: 'file-key', secret: 's' }] }],
  ])('is refused with “%s”', async (message, settings) => {
    await expect(admin.create(settings)).rejects.toThrow(message);
    expect(stored.kept.size).toBe(0);
  });

  it('may have any segment of a path as its id and key', async () => {
    const id = 'aZ_0.~-'.padEnd(100, 'x');
    expect(await admin.create({ id, key: 'k-1' })).toMatchObject({ id, key: 'k-1' });
  });

  it('has no field for its credentials among those that can be edited', async () => {
    await admin.create({ id: '3' });
    for (const name of ['key', 'secret', 'keys'])
      await expect(admin.edit('3', { [name]: 'x' })).rejects.toThrow(`${name} cannot be edited`);
  });
});

describe('a rotation', () => {
  const expired = { key: 'gone', secret: 'g', validUntil: '2001-01-01T00:00:00Z' };
  const older = { key: 'older', secret: 'o' };
  beforeEach(() =>
    stored.kept.set('3', { id: '3', key: 'k', secret: 's', clientEvents: true, keys: [older, expired] }),
  );

  it('creates another key; the one before stays valid, and expired ones go', async () => {
    const fresh = await admin.rotate('3');
    expect(fresh.key).not.toBe('k');
    const keys = [{ key: 'k', secret: 's' }, older];
    expect(stored.kept.get('3')).toStrictEqual({ id: '3', ...fresh, clientEvents: true, keys });
  });

  it('creates another secret for the same key, and ends the old one after a time', async () => {
    const before = Date.now();
    const fresh = await admin.rotate('3', { sameKey: true, oldValidForSeconds: 60 });
    expect(fresh).toEqual({ key: 'k', secret: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const [old] = stored.kept.get('3')!.keys!;
    expect(old).toMatchObject({ key: 'k', secret: 's' });
    expect(Date.parse(old!.validUntil!)).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('of an app without further keys keeps the one before', async () => {
    stored.kept.set('4', { id: '4', key: 'k4', secret: 's4' });
    await admin.rotate('4');
    expect(stored.kept.get('4')!.keys).toEqual([{ key: 'k4', secret: 's4' }]);
  });
});

describe('a key that is removed', () => {
  beforeEach(() =>
    stored.kept.set('3', {
      id: '3',
      key: 'k',
      secret: 's',
      clientEvents: true,
      keys: [
        { key: 'k', secret: 'before' },
        { key: 'old', secret: 'o' },
      ],
    }),
  );

  it('is gone, and the rest stays', async () => {
    await admin.removeKey('3', 'old');
    const keys = [{ key: 'k', secret: 'before' }];
    expect(stored.kept.get('3')).toEqual({ id: '3', key: 'k', secret: 's', clientEvents: true, keys });
  });

  it('is not the main one, which loses only its old secrets', async () => {
    await admin.removeKey('3', 'k');
    expect(stored.kept.get('3')).toMatchObject({ key: 'k', secret: 's', keys: [{ key: 'old' }] });
    await expect(admin.removeKey('3', 'k')).rejects.toThrow(SettingsConflict);
  });

  it('must be one of the app', async () => {
    await expect(admin.removeKey('3', 'unknown')).rejects.toMatchObject({ status: 404 });
    stored.kept.set('4', { id: '4', key: 'k4', secret: 's4' });
    await expect(admin.removeKey('4', 'unknown')).rejects.toMatchObject({ status: 404 });
  });
});

it('without a database, apps are listed and cannot be changed', async () => {
  const file = { id: 'file', key: 'file-key', secret: 's' };
  const alone = new AppsAdmin(new Apps(new ConfiguredAppRepository({ apps: [file] })));
  expect((await alone.all()).map(({ settings }) => settings)).toEqual([file]);
  await expect(alone.create({})).rejects.toThrow('the apps are not in a database');
  expect(await new AppsAdmin(new Apps(new Stored())).all()).toEqual([]);
});
