import { describe, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { ChannelsSettings } from './channels.options.js';

const app = { id: '3', key: 'key', secret: 'a-secret-value' };
const url = 'https://example.com/hook';
const withApp = (settings: object) => ({ apps: [app, { ...app, ...settings }] });
const withWebhook = (webhook: object) => withApp({ webhooks: [webhook] });
const settings = (options: object) =>
  settingsOf(ChannelsSettings, options, { module: 'ChannelsModule', ports: ['appRepository', 'broker'] });

describe('the settings of ChannelsModule', () => {
  it('have defaults, even in a section with other settings', () => {
    expect(settings({ apps: [app], limits: { queuedBytes: 7 }, webhooks: undefined })).toMatchObject({
      path: '',
      activityTimeoutSeconds: 120,
      limits: { queuedBytes: 7, channelNameLength: 200, connections: Infinity },
      webhooks: { timeoutMs: 10_000 },
      apps: [{ ...app, enabled: true, maxConnections: null, allowedOrigins: ['*'] }],
    });
  });

  it.each([
    { maxConnections: null },
    { authorizationTimeoutSeconds: 0.5 },
    { webhooks: [{ url, events: [] }] },
    { webhooks: [{ url: 'http://localhost:8080', events: ['cache_miss', 'client_event'], headers: { 'x-a': 'b' } }] },
  ])('take an app with %j', (part) => {
    expect(settings(withApp(part)).apps?.[1]).toMatchObject(part);
  });

  it.each([
    [
      { clientEvent: true },
      /^apps\[1\]\.clientEvent is not a setting; known are id, key, .*\. Write forRoot\({ apps: \[{ clientEvents: … }\] }\)$/,
    ],
    [{ secret: '' }, 'apps[1].secret must be a text that is not empty, got an empty text'],
    [{ key: 7 }, 'apps[1].key must be a text that is not empty, got number'],
    [{ secret: undefined }, 'apps[1].secret must be a text that is not empty, got undefined'],
    [{ enabled: 'yes' }, 'apps[1].enabled must be true or false, got string'],
    [{ enabled: null }, 'apps[1].enabled must be true or false, got null'],
    [{ allowedOrigins: 'example.com' }, 'apps[1].allowedOrigins must be an array, got string'],
    [{ allowedOrigins: ['a', ''] }, 'apps[1].allowedOrigins[1] must be a text that is not empty, got an empty text'],
    [
      { allowedOrigins: ['shop.example', 'bücher.example'] },
      'apps[1].allowedOrigins[1] must be a host as browsers send it, such as shop.example, *.shop.example, ' +
        'localhost:3000, xn--bcher-kva.example (punycode) or [::1], or an origin without a path, such as ' +
        'https://shop.example, got "bücher.example"',
    ],
    [{ allowedOrigins: ['::1'] }, 'apps[1].allowedOrigins[0] must be a host as browsers send it'],
    [{ maxConnections: -1 }, 'apps[1].maxConnections must be a whole number, got -1'],
    [{ webhooks: {} }, 'apps[1].webhooks must be an array, got object'],
    [{ webhooks: [null] }, 'apps[1].webhooks[0] must be an object, got null'],
  ])('refuse an app with %j', (part, message) => {
    const text =
      typeof message === 'string'
        ? `ChannelsModule: ${message}`
        : new RegExp(`^ChannelsModule: ${message.source.slice(1)}`);
    expect(() => settings(withApp(part))).toThrow(text);
    expect(() => settings(withApp(part))).not.toThrow(app.secret);
  });

  it.each([
    [{ url: 'example.com/hook' }, 'apps[1].webhooks[0].url must be an http or https URL, got string'],
    [{ url: 'https://' }, 'apps[1].webhooks[0].url must be an http or https URL'],
    [{ url: 'ftp://example.com' }, 'apps[1].webhooks[0].url must be an http or https URL'],
    [{ url, headers: { 'x-a': 1 } }, 'apps[1].webhooks[0].headers must be an object of texts that are not empty'],
    [{ url, events: ['occupied'] }, /events\[0\] must be one of channel_occupied, .*, got "occupied"$/],
    [
      { url, secret: 's' },
      'apps[1].webhooks[0].secret is not a setting; known are url, events, filter, memberSocketIds, headers',
    ],
  ])('refuse a webhook of %j', (webhook, message) => {
    expect(() => settings(withWebhook(webhook))).toThrow(message);
  });

  it('take limits that leave room for each other', () => {
    const limits = { eventDataBytes: 2_000_000, messageBytes: 2_001_024, requestBytes: 2_001_024 };
    expect(settings({ ...withApp({ limits: { eventDataBytes: 2_000_000 } }), limits })).toMatchObject({ limits });
  });

  it.each([
    [
      { app: [] },
      /^ChannelsModule: app is not a setting; known are apps, .*, appRepository, broker\. Write forRoot\({ apps: … }\)$/,
    ],
    [{ broker: {} }, 'ChannelsModule: broker stands beside useFactory: write forRootAsync({ useFactory, broker: … })'],
    [{ path: 'ws' }, 'ChannelsModule: path must begin with / and not end with it, got "ws"'],
    [{ path: '/ws/' }, 'ChannelsModule: path must begin with / and not end with it, got "/ws/"'],
    [{ path: '/w:s' }, 'ChannelsModule: path must consist of letters, digits, -, ., _, ~ and /, got "/w:s"'],
    [{ activityTimeoutSeconds: 0 }, 'ChannelsModule: activityTimeoutSeconds must be a number above 0, got 0'],
    [
      { activityTimeoutSeconds: Infinity },
      'ChannelsModule: activityTimeoutSeconds must be a number above 0, got Infinity',
    ],
    [{ limits: { queuedBytes: '1' } }, 'ChannelsModule: limits.queuedBytes must be a whole number, got string'],
    [
      { limits: { eventDataBytes: 200_000 } },
      'ChannelsModule: limits.messageBytes must be at least 1024 more than eventDataBytes and presenceUserBytes, got 131072',
    ],
    [
      { limits: { presenceUserBytes: 200_000 } },
      'ChannelsModule: limits.messageBytes must be at least 1024 more than eventDataBytes and presenceUserBytes, got 131072',
    ],
    [
      { limits: { eventDataBytes: 2_000_000, messageBytes: 3_000_000 } },
      'ChannelsModule: limits.requestBytes must be at least 1024 more than eventDataBytes, got 1048576',
    ],
    [
      withApp({ limits: { eventDataBytes: 200_000 } }),
      'ChannelsModule: apps[1] must have limits.eventDataBytes of at least 1024 less than limits.messageBytes',
    ],
    [
      { limits: { presenceMember: 5 } },
      /limits\.presenceMember is not a setting; .*Write forRoot\({ limits: { presenceMembers: … } }\)$/,
    ],
    [{ webhooks: { timeout: 3 } }, 'ChannelsModule: webhooks.timeout is not a setting; known are timeoutMs, retryMs'],
    [null, 'ChannelsModule must be an object, got null'],
  ])('refuse %j', (options, message) => {
    expect(() => settings(options as object)).toThrow(message);
  });
});
