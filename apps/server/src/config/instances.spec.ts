import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applePem, googlePem } from '../../../../test/support/private-keys.js';
import { readConfig } from './config.js';

const id = '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60';
const [appleKey, googleKey] = [applePem(), googlePem()];
const account = { project_id: 'p', client_email: 'e@p', private_key: googleKey, token_uri: 'https://t.example' };
const apns = { keyId: 'K', teamId: 'T' };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-config-'));
  writeFileSync(join(folder, 'key.p8'), appleKey);
  writeFileSync(join(folder, 'cut.p8'), appleKey.slice(0, 100));
  writeFileSync(join(folder, 'marked.json'), `\ufeff${JSON.stringify({ type: 'service_account', ...account })}`);
  writeFileSync(join(folder, 'account.json'), JSON.stringify({ type: 'service_account', ...account }));
  writeFileSync(join(folder, 'broken.json'), '{"private_key": "secret"');
});
afterAll(() => rmSync(folder, { recursive: true }));

function configOf(instances: unknown) {
  const file = join(folder, 'rookery.json');
  writeFileSync(file, JSON.stringify({ instances }));
  return readConfig({ CONFIG_FILE: file });
}
const withPart = (part: object) => () => configOf([{ id, secretKey: 's', ...part }]);

describe('instances', () => {
  it('come from the file, with the contents of the files it names', () => {
    const instance = {
      id,
      secretKey: 's',
      apns: { ...apns, key: appleKey, endpoint: 'https://localhost:1' },
      fcm: { serviceAccount: account, endpoint: 'https://localhost:2' },
      web: { vapidPublicKey: 'a', vapidPrivateKey: 'b', subject: 'mailto:c@d' },
      webhooks: [{ url: 'https://e.example', secret: 'f', events: ['v1.UserNotificationOpen'], customData: { g: 1 } }],
    };
    expect(configOf([instance]).instances).toEqual([instance]);
  });

  it('read keys from files beside the configuration', () => {
    const part = { apns: { ...apns, keyFile: 'key.p8' }, fcm: { serviceAccountFile: join(folder, 'account.json') } };
    expect(withPart(part)().instances).toEqual([
      { id, secretKey: 's', apns: { ...apns, key: appleKey }, fcm: { serviceAccount: account } },
    ]);
  });

  it('read a key file that begins with a byte order mark', () => {
    const [instance] = withPart({ fcm: { serviceAccountFile: 'marked.json' } })().instances;
    expect(instance?.fcm).toEqual({ serviceAccount: account });
  });

  it('come from the environment too', () => {
    const environment = { BEAMS_INSTANCE_ID: id, BEAMS_SECRET_KEY: 's' };
    expect(readConfig(environment).instances).toEqual([{ id, secretKey: 's' }]);
    expect(() => readConfig({ BEAMS_INSTANCE_ID: id })).toThrow('must be set together');
  });

  it('suffice in production, without the development app', () => {
    const environment = { BEAMS_INSTANCE_ID: id, BEAMS_SECRET_KEY: 's', NODE_ENV: 'production' };
    expect(readConfig(environment)).toMatchObject({ apps: [], isDevelopment: false });
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow('no app is configured');
  });

  it.each([
    ['no key', { apns }, 'set either instances[0].apns.key or instances[0].apns.keyFile'],
    ['two keys', { apns: { ...apns, key: appleKey, keyFile: 'b' } }, 'set either'],
    [
      'a key of Apple that cannot be read',
      { apns: { ...apns, key: appleKey.slice(0, 100) } },
      'instances[0].apns.key must be the text of an Apple .p8 file, got string',
    ],
    [
      'a file with a key of Apple that cannot be read',
      { apns: { ...apns, keyFile: 'cut.p8' } },
      'instances[0].apns.keyFile must name an Apple .p8 file, got "cut.p8"',
    ],
    [
      'a key of Google that cannot be read',
      { fcm: { serviceAccount: { ...account, private_key: appleKey } } },
      'instances[0].fcm.serviceAccount.private_key must be the private_key of a Google service account file, got string',
    ],
    ['a file that is not there', { apns: { ...apns, keyFile: 'gone.p8' } }, 'instances[0].apns.keyFile cannot be read'],
    ['a file that is no JSON', { fcm: { serviceAccountFile: 'broken.json' } }, 'serviceAccountFile must hold JSON'],
    [
      'an account without a key',
      { fcm: { serviceAccount: { ...account, private_key: 1 } } },
      'private_key must be a text',
    ],
    ['a misspelt setting', { webhook: [] }, 'instances[0].webhook is not a setting'],
    [
      'web without a subject',
      { web: { vapidPublicKey: 'a', vapidPrivateKey: 'b' } },
      'instances[0].web.subject must be',
    ],
    [
      'a VAPID subject that Apple would refuse later without a reason',
      { web: { vapidPublicKey: 'a', vapidPrivateKey: 'b', subject: 'mailto:me@localhost' } },
      'instances[0].web.subject must be a mailto: or https: address of yours, not at localhost, got "mailto:me@localhost"',
    ],
    [
      'a webhook for a misspelt event, which would never come',
      { webhooks: [{ url: 'https://e.example', secret: 'f', events: ['v1.UserNotificationOpened'] }] },
      'instances[0].webhooks[0].events[0] must be one of v1.PublishToUsersAttempt',
    ],
    [
      'a webhook without an address',
      { webhooks: [{ url: 'e.example', secret: 'f', events: [] }] },
      'instances[0].webhooks[0].url must be an http or https URL',
    ],
  ])('are refused with %s', (_name, part, message) => {
    expect(withPart(part)).toThrow(message);
  });

  it('never show a secret in an error', () => {
    expect(withPart({ fcm: { serviceAccountFile: 'broken.json' } })).not.toThrow('secret"');
  });
});

it('keeps devices and publishes in a file by default', () => {
  expect(readConfig({})).toMatchObject({ databaseUrl: 'sqlite:data/rookery.db', allowPrivateNetwork: false });
  const environment = { DATABASE_URL: 'postgres://u@h/d', ALLOW_PRIVATE_NETWORK: 'true' };
  expect(readConfig(environment)).toMatchObject({ databaseUrl: 'postgres://u@h/d', allowPrivateNetwork: true });
});

describe('settings of publishes', () => {
  const publishOf = (publish: unknown) => {
    const file = join(folder, 'publish.json');
    writeFileSync(file, JSON.stringify({ publish }));
    return readConfig({ CONFIG_FILE: file }).publish;
  };

  it('come from the file', () => {
    const numbers = { pageSize: 500, concurrency: { web: 20 }, deletionGuardShare: 0.2, retentionMs: 0 };
    const publish = { ...numbers, webPushHosts: ['push.example'] };
    expect(publishOf(publish)).toEqual(publish);
    expect(readConfig({}).publish).toEqual({});
  });

  it.each([
    [{ pagesize: 5 }, 'publish.pagesize is not a setting'],
    [{ pageSize: 'many' }, 'publish.pageSize must be a whole number of at least 3, got string'],
    [{ concurrency: { sms: 1 } }, 'publish.concurrency.sms is not a setting'],
    [{ webPushHosts: [1] }, 'publish.webPushHosts[0] must be a text that is not empty, got number'],
    [{ deletionGuardShare: 2 }, 'publish.deletionGuardShare must be a number from 0 to 1'],
  ])('are refused when they are %j', (publish, message) => {
    expect(() => publishOf(publish)).toThrow(message);
  });
});
