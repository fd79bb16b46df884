import { expect, it } from 'vitest';
import type { AppConfig } from '../app/app.js';
import { administeredApp } from './administered-app.js';

const app = { id: '3', key: 'current', secret: 'secret-now' };
const shown = (settings: Partial<AppConfig>) =>
  administeredApp({ settings: { ...app, ...settings }, origin: 'database', version: 2 });

it('shows all settings of an app, with their defaults, origin and version', () => {
  expect(shown({ clientEvents: true })).toMatchObject({
    id: '3',
    key: 'current',
    keys: [],
    keysValidUntil: {},
    oldSecretsValidUntil: [],
    clientEvents: true,
    enabled: true,
    encryptionMasterKeyBase64: null,
    mirror: null,
    webhooks: [],
    origin: 'database',
    version: 2,
  });
});

it('shows the keys that are valid, and until when', () => {
  const [soon, late] = ['2999-01-01T00:00:00Z', '2999-12-01T00:00:00Z'];
  const keys = [
    { key: 'current', secret: 'secret-1' },
    { key: 'current', secret: 'secret-2', validUntil: soon },
    { key: 'timed', secret: 'secret-3', validUntil: late },
    { key: 'timed', secret: 'secret-4', validUntil: soon },
    { key: 'endless', secret: 'secret-5' },
    { key: 'expired', secret: 'secret-6', validUntil: '2001-01-01T00:00:00Z' },
  ];
  expect(shown({ keys })).toMatchObject({
    keys: ['timed', 'endless'],
    keysValidUntil: { timed: late },
    oldSecretsValidUntil: [null, soon],
  });
  expect(shown({ keys }).keysValidUntil).not.toHaveProperty('endless');
});

it('shows no secret and no credentials', () => {
  const to = { id: '4', key: 'theirs', secret: 'secret-theirs' };
  const webhooks = [
    { url: 'https://user:secret-url@shop.example/', headers: { authorization: 'secret-header' } },
    { url: 'https://shop.example/' },
  ];
  const found = shown({
    keys: [{ key: 'old', secret: 'secret-old' }],
    encryptionMasterKeyBase64: 'secret-master',
    mirror: { ...to, host: 'api.example' } as unknown as AppConfig['mirror'],
    webhooks,
  });
  expect(JSON.stringify(found)).not.toContain('secret-');
  expect(found).toMatchObject({
    encryptionMasterKeyBase64: '********',
    mirror: { key: 'theirs', secret: '********' },
    webhooks: [{ headers: { authorization: '********' } }, { url: 'https://shop.example/' }],
  });
  expect(found.webhooks[1]).not.toHaveProperty('headers');
});

it('shows a mirror without a secret as it is', () => {
  const mirror = { url: 'https://api.example' } as unknown as AppConfig['mirror'];
  expect(shown({ mirror }).mirror).toEqual(mirror);
});
