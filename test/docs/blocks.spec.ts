import * as nest from '@nestjs/common';
import { join } from 'node:path';
import * as authorization from 'rookery/authorization';
import * as channels from 'rookery/channels';
import * as notifications from 'rookery/notifications';
import * as presence from 'rookery/presence';
import * as publish from 'rookery/publish';
import * as pushDevice from 'rookery/push-device';
import * as redis from 'rookery/redis';
import * as testing from 'rookery/testing';
import { describe, expect, it } from 'vitest';
import { checkedFile } from '../../apps/server/src/config/config-file.js';
import { faultsOf, type Surroundings } from '../support/checked-snippets.js';
import { isCompared } from '../support/compared-pages.js';
import { blocksOf, changed, docBlocks, docPages } from '../support/doc-blocks.js';
import { parsed } from '../support/parsed-command.js';

const root = join(import.meta.dirname, '../..');
const blocks = docBlocks(root);

/** What is neither run nor checked here, and why or where it is. */
const unchecked: Readonly<Record<string, string>> = {
  '': 'drawings and excerpts of what goes over the wire',
  text: 'charts',
  html: 'run by test/docs/private-channel.spec.ts',
  ini: 'given to PostgreSQL, Redis and the server by test/docs/three-machines.spec.ts',
  mermaid: 'drawings',
  sql: 'run by test/trigger/triggers-on-postgres.e2e.spec.ts',
  yaml: 'given to Prometheus by test/operations/pages.e2e.spec.ts',
  nginx: 'given to nginx by test/operations/pages.e2e.spec.ts',
};

/** Pages of SDKs have code for compilers and packages that are not here: each says what of it was tried. */
const isOfSdk = ({ page }: { readonly page: string }): boolean => page.startsWith('docs/sdks/');

it('handles every block', () => {
  const known = new Set(['sh', 'json', 'js', 'ts', 'diff', ...Object.keys(unchecked)]);
  const others = blocks.filter((block) => !known.has(block.language) && !isOfSdk(block));
  expect(others.map(({ place }) => place)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(60);
});

/** Those in a sentence; commands.spec.ts runs those that stand in blocks. */
const inSentences = docPages(root).flatMap(({ page, text }) =>
  Array.from(text.matchAll(/`(?:npx )?rookery ([a-z][^`]* --[^`]+)`/g), ([, command = '']) => ({ page, command })),
);

describe('a command in a sentence', () => {
  it('is found', () => expect(inSentences.length).toBeGreaterThan(1));

  it.each(inSentences)('is a valid call: rookery $command ($page)', ({ command }) => {
    expect(() => parsed(command)).not.toThrow();
  });

  it.each(['triger a b', 'trigger --colour red a b c', 'subscribe'])('is detected if invalid: %s', (command) => {
    expect(() => parsed(command)).toThrow();
  });
});

/** Settings with the places filled in that the reader fills in. */
function filled(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, key)]));
  if (typeof value !== 'string' || !value.includes('…')) return value;
  if (value.startsWith('https://')) return 'https://example.com/hook';
  return name === 'id' || name === 'instance' ? '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d' : 'text';
}

function checkJson(code: string): void {
  const value = filled(JSON.parse(code.trimStart().startsWith('{') ? code : `{${code}}`)) as object;
  const settings = ['apps', 'instances', 'channels', 'devices', 'publish', 'console', 'redis', 'notifications'];
  if (Object.keys(value).some((name) => settings.includes(name))) checkedFile(value);
}

describe('JSON on a page', () => {
  it.each(blocks.filter(({ language }) => language === 'json'))('is valid: $place', ({ code }) => checkJson(code));

  it.each([
    '{ "apps": [{ "id": "1", "key": "…" }] }',
    '{ "instances": [{ "id": "…", "secret": "…" }] }',
    '{ "a": 1, }',
  ])('is detected if invalid: %s', (code) => {
    expect(() => checkJson(code)).toThrow();
  });
});

const modules: Readonly<Record<string, object>> = {
  '@nestjs/common': nest,
  'rookery/authorization': authorization,
  'rookery/channels': channels,
  'rookery/notifications': notifications,
  'rookery/presence': presence,
  'rookery/publish': publish,
  'rookery/push-device': pushDevice,
  'rookery/redis': redis,
  'rookery/testing': testing,
};

const surroundings: Surroundings = {
  imports: (name, code) => {
    if (name === 'Pusher') return `import Pusher from '${/appId|host:/.test(code) ? 'pusher' : 'pusher-js'}';`;
    if (name === 'PushNotifications') return "import PushNotifications from '@pusher/push-notifications-server';";
    if (name === 'PusherPushNotifications' && code.includes('.Client'))
      return "import * as PusherPushNotifications from '@pusher/push-notifications-web';";
    if (name === 'Client') return "import { Client } from '@pusher/push-notifications-web';";
    if (name === 'client' && code.includes('clearAllState'))
      return "import type { Client } from '@pusher/push-notifications-web'; declare const client: Client;";
    if (name === 'createHash') return "import { createHash } from 'node:crypto';";
    if (name === 'ChannelsWebhook') return "import type { ChannelsWebhook } from 'rookery/channels';";
    if (name === 'PublishWebhook') return "import type { PublishWebhook } from 'rookery/publish';";
    const [module] = Object.entries(modules).find(([, exported]) => name in exported) ?? [];
    return module && `import { ${name} } from '${module}';`;
  },
  own: [
    'User',
    'PlanGuard',
    'Tracing',
    'LoginGuard',
    'MyBroker',
    'id',
    'key',
    'secret',
    'appId',
    'apps',
    'instanceId',
    'secretKey',
    'user',
    'userId',
    'data',
    'fcm',
    'apns',
    'web',
    'connectionId',
    'wsHost',
    'importScripts',
    'pusher',
    'show',
    'badge',
    'removeFromFeed',
    'remove',
    'PusherPushNotifications',
    'presence',
    'url',
    'webhookSecret',
  ],
  members: {
    orders: 'any',
    opened: 'Set<string>',
    notifications: "import('rookery/notifications').NotificationsService",
  },
};

const code = blocks
  .filter((block) => ['js', 'ts', 'diff'].includes(block.language) && !isOfSdk(block) && !isCompared(block))
  .map(({ place, language, code }) => ({ place, code: language === 'diff' ? changed(code) : code }));

/** An option of @pusher/push-notifications-server that it reads, and that its types lack. */
const untyped = "'port' does not exist in type 'Options'.";

it('shows code that compiles against the package and the SDKs', { timeout: 180_000 }, () => {
  const wrong = [
    "new Pusher({ appId: '1', key: 'k', secret: 's', hots: 'x', host: 'y' });",
    'ChannelsModule.forRoot({ sockets: { guard: [PlanGuard] } });',
    'constructor(private readonly events: EventsService) {}\nawait this.events.triger(appId, {});',
    'NoSuchModule.forRoot();',
  ].map((each, i) => ({ place: `planted ${i}`, code: each }));
  const faults = faultsOf(root, [...code, ...wrong], surroundings);
  expect(faults.filter((fault) => !fault.startsWith('planted') && !fault.endsWith(untyped))).toEqual([]);
  expect(faults.filter((fault) => fault.endsWith(untyped))).toHaveLength(1);
  const found = faults.filter((fault) => fault.startsWith('planted')).map((fault) => fault.split(':')[0]);
  expect([...new Set(found)]).toEqual(wrong.map(({ place }) => place));
  expect(code.length).toBeGreaterThan(20);
});

it('reads blocks within lists', () => {
  expect(blocksOf('a.md', '1. x\n\n   ```sh\n   ls\n   ```\n')).toEqual([
    { place: 'a.md:3', page: 'a.md', language: 'sh', code: 'ls\n' },
  ]);
});
