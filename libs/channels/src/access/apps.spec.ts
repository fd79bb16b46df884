import { describe, expect, it } from 'vitest';
import type { AppConfig } from './app.js';
import { AppRepository } from './app.repository.js';
import { Apps } from './apps.js';

class Three {
  constructor(readonly answer: () => AppConfig | undefined) {}
  findById = (): AppConfig | undefined => this.answer();
  findByKey = async (): Promise<AppConfig | undefined> => this.answer();
}
const apps = (answer: () => unknown): Apps => new Apps(new Three(answer as () => AppConfig) satisfies AppRepository);
const three = { id: '1', key: 'k', secret: 's' };

describe('Apps', () => {
  it('fills in what a repository leaves out, answered at once or later', async () => {
    const found = apps(() => ({ ...three, clientEvents: true }));
    const complete = { ...three, enabled: true, clientEvents: true, allowedOrigins: ['*'], maxConnections: null };
    expect(found.findById('1')).toMatchObject(complete);
    expect(await found.findByKey('k')).toMatchObject(complete);
  });

  it('fills in what a row of a database has as null or undefined, and keeps fields of the host', () => {
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

  it('answers the same app for the same answer, without making it again', () => {
    const found = apps(() => three);
    expect(found.findById('1')).toBe(found.findById('1'));
  });

  it.each([undefined, null])('answers undefined for %s', async (nothing) => {
    const found = apps(() => nothing);
    expect([found.findById('1'), await found.findByKey('k')]).toEqual([undefined, undefined]);
  });
});
