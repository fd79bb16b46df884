import { createECDH } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../../../test/support/channels-server.js';
import { type Faulty, type ProxiedClient, startFaultyServer } from '../../../test/support/faulty-server.js';
import { freePort } from '../../../test/support/free-port.js';
import { instance } from '../../../test/support/push-app.js';
import { WebPushGateway } from 'rookery/publish';
import { startPublishApp } from '../../../test/support/publish-app.js';
import { PushService } from './push-service.js';
import { hmac } from './subject.js';
import { chosenCases, NotJudged, obstacleTo, reportOn } from './suite.js';
import type { SuiteOptions } from './suite-options.js';
import type { Webhook } from './webhooks.js';
import { asJunit, asTable, type Case, cases, judged, type Profile, type Target, WebhookListener } from './index.js';

let server: ChannelsServer;
let events: WebhookListener;
/** Gets what {@link alter} makes of the same webhooks. */
let altered: WebhookListener;
let relay: { readonly port: number; close(): void };
let alter: (webhook: Webhook) => readonly Webhook[] = () => [];
let pushService: PushService;
let push: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  events = await WebhookListener.listen(0, '127.0.0.1');
  altered = await WebhookListener.listen(0, '127.0.0.1');
  relay = await startRelay();
  server = await startChannels({ apps: [judgedApp()] });
  pushService = await PushService.listen('http://127.0.0.1:0');
  const web = { ...vapidKeys(), subject: 'mailto:push@example.com' };
  push = await startPublishApp({
    instances: [{ ...instance, web }],
    // FCM is made up: it has no credentials.
    devices: { allowPrivateNetwork: true, requireCredentials: false },
    publish: { webGateway: new WebPushGateway({ allowPrivateNetwork: true }) },
  });
});
afterAll(() =>
  Promise.all([server.close(), push.close(), events.close(), altered.close(), relay.close(), pushService.close()]),
);

const judgedApp = () => ({
  ...testApp,
  clientEvents: true,
  subscriptionCount: true,
  watchlist: true,
  webhooks: [events, relay].map(({ port }) => ({ url: `http://127.0.0.1:${port}/` })),
});

/** As `web-push` makes them. */
function vapidKeys() {
  const keys = createECDH('prime256v1');
  const vapidPublicKey = keys.generateKeys('base64url');
  // Leading zeros are cut off by Node.
  const vapidPrivateKey = Buffer.from(keys.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
  return { vapidPublicKey, vapidPrivateKey };
}

const targetAt = (port: number, pushUrl = push.url): Target => {
  const { id: appId, key, secret } = testApp;
  const ofPush = { url: pushUrl, instanceId: instance.id, secretKey: instance.secretKey };
  return { url: `http://127.0.0.1:${port}`, appId, key, secret, push: ofPush, webhooks: events, pushService };
};

/** All cases run beside other tests. */
const patient = { patienceMs: 20_000 };

/** A fault often is that something does not come. */
const soon = { patienceMs: 2000 };

/** The cases that pass at a server that changes the answers of both ports. */
async function passedAt(faulty: Faulty, ids = /./): Promise<string[]> {
  const proxies = [await startFaultyServer(server.port, faulty), await startFaultyServer(push.port, faulty)];
  const [own, ofPush] = proxies.map((proxy) => (proxy.address() as AddressInfo).port);
  const asked = cases.filter(({ id }) => ids.test(id));
  const results = await judged({ ...targetAt(own!, `http://127.0.0.1:${ofPush}`), patienceMs: 500 }, asked);
  for (const proxy of proxies) {
    proxy.closeAllConnections();
    proxy.close();
  }
  return results.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id);
}

it('no case passes at a server that accepts everything, and at one that refuses everything', async () => {
  // These are about connections as such, and pass wherever one can be made.
  const ofConnections = /^connection\/|\/refusal-stays-open$/;
  const accepts: Faulty = {
    answer: () => [200, '{}'],
    frame: (text) =>
      text.includes('"event":"pusher:subscription_error"')
        ? JSON.stringify({ ...JSON.parse(text), event: 'pusher_internal:subscription_succeeded', data: '{}' })
        : without('pusher:error')(text),
    closeCode: () => 1000,
  };
  const refuses: Faulty = {
    answer: () => [400, '{"error":"no","description":"no"}'],
    frame: (text) => (/"event":"pusher:(connection_established|pong)"/.test(text) ? text : undefined),
  };
  const [accepting, refusing, silent] = await Promise.all([
    passedAt(accepts),
    passedAt(refuses),
    passedAt({ frame: () => undefined }, ofConnections),
  ]);
  const passed = accepting.filter((id) => refusing.includes(id));
  expect(passed.filter((id) => !ofConnections.test(id))).toEqual([]);
  expect(silent).toEqual(['connection/subprotocol']);
}, 300_000);

/** Their servers are silent for two seconds instead of minutes. */
const isOfSilence = ({ id }: Case): boolean => id === 'connection/silence';

it('Rookery does all that the suite asks', async () => {
  const impatient = await startChannels({ apps: [judgedApp()], activityTimeoutSeconds: 1, pongTimeoutSeconds: 1 });
  const judging = [
    judged(
      { ...targetAt(server.port), ...patient },
      cases.filter((each) => !isOfSilence(each)),
    ),
    judged({ ...targetAt(impatient.port), ...patient, isSlow: true }, cases.filter(isOfSilence)),
  ];
  const results = (await Promise.all(judging)).flat();
  await impatient.close();
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  const documented = await readFile(new URL('../../../docs/conformance.md', import.meta.url), 'utf8');
  expect(documented).toContain(asTable(results));
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
}, 300_000);

it("Rookery does the same beside its host's router", async () => {
  const direct = await startChannels({ apps: [judgedApp()], bypassRouter: true });
  try {
    const results = await judged(
      { ...targetAt(direct.port), ...patient },
      cases.filter((each) => each.profile !== 'beams' && !isOfSilence(each)),
    );
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  } finally {
    await direct.close();
  }
}, 300_000);

async function startRelay() {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      response.end();
      for (const { headers, body: changed } of alter({ headers: request.headers, body })) {
        const names = ['content-type', 'x-pusher-key', 'x-pusher-signature'].filter((name) => headers[name]);
        const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
        // The last ones come once the tests have ended.
        await fetch(`http://127.0.0.1:${altered.port}/`, { method: 'POST', headers: given, body: changed }).catch(
          () => undefined,
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** Sends the events of a request to the connections that it excludes, as a server does that ignores `socket_id`. */
function sendToExcluded(path: string, body: string, clients: ReadonlySet<ProxiedClient>, afterMs: number): void {
  if (!/^\/apps\/[^/]+\/(batch_)?events/.test(path)) return;
  interface Item {
    readonly name: string;
    readonly data: string;
    readonly channel?: string;
    readonly channels?: readonly string[];
    readonly socket_id?: string;
  }
  const request = JSON.parse(body) as Item & { readonly batch?: readonly Item[] };
  for (const { name, data, channel, channels, socket_id: excluded } of request.batch ?? [request])
    for (const client of clients)
      if (excluded !== undefined && client.socketId === excluded)
        setTimeout(
          () => client.send(JSON.stringify({ event: name, channel: channel ?? channels?.[0], data })),
          afterMs,
        );
}

/** Holds the confirmation back until the frame with such a text has been sent. */
function confirmationLast(of: string): NonNullable<Faulty['relay']> {
  const held = new Map<ProxiedClient, string>();
  return (text, client) => {
    if (text.includes('subscription_succeeded')) {
      held.set(client, text);
      return;
    }
    client.send(text);
    const confirmation = held.get(client);
    if (confirmation === undefined || !text.includes(of)) return;
    held.delete(client);
    client.send(confirmation);
  };
}

const without =
  (event: string) =>
  (text: string): string | undefined =>
    text.includes(`"event":"${event}"`) ? undefined : text;

describe('a fault of a server is found:', () => {
  it.concurrent.each<[string, string, Faulty]>([
    [
      'a socket id of letters',
      'connection/greeting',
      { frame: (text) => text.replace(/(socket_id\\":\\")\d+/, '$1abc') },
    ],
    ['no time of silence', 'connection/greeting', { frame: (text) => text.replace('activity_timeout', 'timeout') }],
    [
      'another code for an unknown app',
      'connection/unknown-app',
      { closeCode: (code) => (code === 4001 ? 4009 : code) },
    ],
    ['no error before the close', 'connection/unknown-app', { frame: without('pusher:error') }],
    [
      'a confirmation without data',
      'subscriptions/public-channel',
      { frame: (text) => text.replace(/,"data":"\{\}"/, '') },
    ],
    ['no departures', 'presence/comes-and-goes', { frame: without('pusher_internal:member_removed') }],
    ['no departures of closed connections', 'presence/closed', { frame: without('pusher_internal:member_removed') }],
    [
      'numbers as user ids',
      'presence/numeric-id',
      { frame: (text) => text.replace('ids\\":[\\"10\\"]', 'ids\\":[10]') },
    ],
    [
      'members that must have user_info',
      'presence/no-user-info',
      { frame: without('pusher_internal:subscription_succeeded') },
    ],
    ['users of any channel', 'presence/users-of-others', { answer: () => [200, '{"users":[]}'] }],
    [
      'texts that become JSON',
      'client-events/text',
      { frame: (text) => text.replace('"a long story"', '["a long story"]') },
    ],
    ['a lost sender', 'client-events/presence-relayed', { frame: (text) => text.replace(/,"user_id":"ann"/, '') }],
    ['client events without a limit', 'client-events/rate', { frame: without('pusher:error') }],
    [
      'data that is parsed on its way',
      'http-api/delivery',
      { frame: (text) => text.replace('\\"a\\": 1 ,', '\\"a\\":1,') },
    ],
    [
      'success for a wrong signature',
      'http-api/signature-wrong',
      { answer: (status, text) => [status === 401 ? 200 : status, text] },
    ],
    [
      'success for an old signature',
      'http-api/signature-old',
      { answer: (status, text) => [status === 401 ? 200 : status, text] },
    ],
    [
      'success for another body',
      'http-api/signature-other-body',
      { answer: (status, text) => [status === 401 ? 200 : status, text] },
    ],
    [
      'an answer that is not {}',
      'http-api/event',
      { answer: (status, text) => [status, text === '{}' ? '{"ok":1}' : text] },
    ],
    [
      'another text for a large batch',
      'http-api/batch-11',
      { answer: (status, text) => [status, text.replace('Batch too large', 'No')] },
    ],
    [
      'an array of no channels',
      'http-api/no-occupied',
      { answer: (status, text) => [status, text.replace('{}', '[]')] },
    ],
    ['an empty cache channel that says nothing', 'cache/miss', { frame: without('pusher:cache_miss') }],
    ['a sign-in that is not confirmed', 'users/signin', { frame: without('pusher:signin_success') }],
    [
      'events that reach another user',
      'users/others-channel',
      { frame: (text) => (/error.*#server-to-user-/.test(text) ? '{"event":"asked"}' : text) },
    ],
    [
      'an error where there is no connection to end',
      'users/terminate-nobody',
      { answer: () => [500, 'Internal server error.'] },
    ],
    [
      'a watchlist that never changes',
      'users/watchlist',
      { frame: (text) => (text.includes('online') ? undefined : text) },
    ],
    [
      'forged members with a token without any',
      'presence/forged-none',
      {
        received: (text, { socketId }) => {
          const { event, data } = JSON.parse(text) as { event: string; data: Record<string, string> };
          if (event !== 'pusher:subscribe' || !data['channel_data']) return text;
          const { channel = '', channel_data: member } = data;
          const signed = (content: string) => `${testApp.key}:${hmac(testApp.secret, content)}`;
          const isWithout = data['auth'] === signed(`${socketId}:${channel}`);
          return isWithout
            ? JSON.stringify({ event, data: { ...data, auth: signed(`${socketId}:${channel}:${member}`) } })
            : text;
        },
      },
    ],
    ['members of broken connections that stay', 'presence/broken', { keepsBroken: true }],
    [
      'members with letters beyond ASCII that are refused',
      'presence/beyond-ascii',
      {
        received: (text) =>
          /\P{ASCII}/u.test(text) ? '{"event":"pusher:subscribe","data":{"channel":"private-x"}}' : text,
      },
    ],
    [
      'no counts of subscriptions',
      'http-api/subscription-count',
      { answer: (status, text) => [status, text.replace(/,?"subscription_count":\d+/, '')] },
    ],
    [
      'a batch that leaves out nobody',
      'http-api/batch-excluded',
      { afterRequest: (path, body, clients) => sendToExcluded(path, body, clients, 0) },
    ],
    [
      'an excluded connection that gets the event late',
      'http-api/excluded',
      { afterRequest: (path, body, clients) => sendToExcluded(path, body, clients, 150) },
    ],
    [
      'an arrival that is told again later',
      'presence/comes-and-goes',
      {
        relay: (text, client) => {
          client.send(text);
          if (text.includes('member_added')) setTimeout(() => client.send(text), 150);
        },
      },
    ],
    ['a last event before the confirmation', 'cache/last-event', { relay: confirmationLast('"event":"asked"') }],
    ['a cache miss before the confirmation', 'cache/miss', { relay: confirmationLast('"pusher:cache_miss"') }],
    [
      'channels whose names become small letters',
      'subscriptions/case',
      {
        afterRequest: (_path, body, clients) => {
          const { name, data, channels } = JSON.parse(body) as { name: string; data: string; channels: string[] };
          const channel = channels[0]?.toLowerCase();
          if (channel !== channels[0])
            for (const client of clients) client.send(JSON.stringify({ event: name, channel, data }));
        },
      },
    ],
    [
      'messages that must be one frame',
      'connection/fragments',
      { frame: without('pusher_internal:subscription_succeeded') },
    ],
    ['client events that are too short', 'client-events/full-size', { frame: without('client-full') }],
    ['another code for a terminated user', 'users/terminate', { closeCode: (code) => (code === 4009 ? 4200 : code) }],
  ])(
    '%s (%s)',
    async (_, id, faulty) => {
      const proxy = await startFaultyServer(server.port, faulty);
      try {
        const [result] = await judged(
          { ...targetAt((proxy.address() as AddressInfo).port), ...soon },
          cases.filter((each) => each.id === id),
        );
        expect(['failed', 'dialect', 'wording']).toContain(result?.outcome);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    },
    30_000,
  );

  it.each<[string, string, Faulty]>([
    ['201 for a publish', 'beams/publish', { answer: (status, text) => [status === 200 ? 201 : status, text] }],
    ['ids of another shape', 'beams/publish', { answer: (status, text) => [status, text.replace('pubid-', '')] }],
    ['errors without a description', 'beams/wrong-key', { answer: (status) => [status, '{"error":"Unauthorized"}'] }],
    ['errors without a body', 'beams/no-interests', { answer: (status) => [status, ''] }],
    ['no initial interests', 'beams/register', { answer: (status) => [status, '{"id":"fcm-1"}'] }],
    ['404 for the removal of an unknown device', 'beams/delete-unknown', { answer: () => [404, '{}'] }],
    [
      'devices of a removed user',
      'beams/user-removed',
      { answer: (status, text) => [status === 404 ? 200 : status, text] },
    ],
    ['tokens of any issuer', 'beams/user-issuer', { answer: (status, text) => [status === 403 ? 200 : status, text] }],
    [
      'pages without an end',
      'beams/interests',
      { answer: (status, text) => [status, text.replace(/"nextCursor":"[^"]+"/, '')] },
    ],
  ])('%s (%s)', async (_, id, faulty) => {
    const proxy = await startFaultyServer(push.port, faulty);
    const { port } = proxy.address() as AddressInfo;
    const target = targetAt(server.port, `http://127.0.0.1:${port}`);
    const [result] = await judged(
      target,
      cases.filter((each) => each.id === id),
    );
    expect(result?.outcome).toBe('failed');
    proxy.closeAllConnections();
    proxy.close();
  });

  const named =
    (name: string) =>
    ({ body }: Webhook): boolean =>
      body.includes(`"name":"${name}"`);

  it.each<[string, string, typeof alter]>([
    ['another signature', 'signature', (it) => [{ ...it, headers: { ...it.headers, 'x-pusher-signature': 'f00' } }]],
    [
      'a charset',
      'signature',
      (it) => [{ ...it, headers: { ...it.headers, 'content-type': 'application/json; charset=utf-8' } }],
    ],
    ['a body that was changed', 'signature', (it) => [{ ...it, body: it.body.replace('{', '{ ') }]],
    [
      'arrivals that are reported for each connection',
      'members',
      (it) => (named('member_added')(it) ? [it, it] : [it]),
    ],
    ['a report of what is occupied again', 'back-at-once', (it) => [it, ...(/own-/.test(it.body) ? [it] : [])]],
  ])(
    'webhooks with %s (webhooks/%s)',
    async (_, id, changes) => {
      alter = changes;
      const [result] = await judged(
        { ...targetAt(server.port), webhooks: altered },
        cases.filter((each) => each.id === `webhooks/${id}`),
      );
      expect(result?.outcome).toBe('failed');
    },
    30_000,
  );

  it.each<[string, string]>([
    ['a browser that may not register', 'beams/cors'],
    ['a browser that may not connect over HTTP', 'http-transports/cors'],
  ])('%s (%s)', async (_, id) => {
    // It answers without the headers.
    const proxies = [await startFaultyServer(server.port, {}), await startFaultyServer(push.port, {})];
    const [own, ofPush] = proxies.map((proxy) => (proxy.address() as AddressInfo).port);
    const [result] = await judged(
      targetAt(own!, `http://127.0.0.1:${ofPush}`),
      cases.filter((each) => each.id === id),
    );
    expect(result?.outcome).toBe('failed');
    for (const proxy of proxies) proxy.close();
  });

  it('one that stops for all when a client is rude', async () => {
    let isDead = false;
    const proxy = await startFaultyServer(server.port, {
      frame: (text) => (isDead ? undefined : ((isDead = text.includes('pusher:error')), text)),
    });
    const { port } = proxy.address() as AddressInfo;
    const results = await judged(
      { ...targetAt(port), ...soon },
      cases.filter(({ id }) => /malformed-(an-array|null)$|each-its-own/.test(id)),
    );
    expect(results).toMatchObject([
      { outcome: 'failed' },
      { outcome: 'skipped', note: 'the server has not answered since connection/malformed-an-array' },
      { outcome: 'passed' },
    ]);
    proxy.closeAllConnections();
    proxy.close();
  }, 30_000);

  it('one that stops, and is there again for the next case', async () => {
    let deadFor = 0;
    const proxy = await startFaultyServer(server.port, {
      frame: (text) => {
        if (text.includes('pusher:error')) deadFor = 2;
        return deadFor > 0 && deadFor-- ? undefined : text;
      },
    });
    const { port } = proxy.address() as AddressInfo;
    const results = await judged(
      { ...targetAt(port), ...soon },
      cases.filter(({ id }) => /malformed-(an-array|null)$/.test(id)),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    proxy.closeAllConnections();
    proxy.close();
  }, 30_000);
});

/** Publishes again what was published with such a text, as a server does that repeats itself. */
const publishAgain =
  (text: string): NonNullable<Faulty['afterRequest']> =>
  (path, body) => {
    if (!path.includes('/publishes/') || !body.includes(text)) return;
    const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
    void fetch(push.url + path, { method: 'POST', headers, body });
  };

it.each<[string, string, Faulty]>([
  ['a push with other content', 'interest', { request: (body) => body.replace('"for one"', '"for nobody"') }],
  ['a push to all browsers', 'interest', { request: (body) => body.replaceAll(/(conformance-\w+)-other/g, '$1') }],
  ['a push to a user that comes twice', 'once', { afterRequest: publishAgain('"once"') }],
  ['a push to another user', 'user', { request: (body) => body.replace('"for Ann"', '"for Ben"') }],
])(
  '%s is found (beams/arrives-%s)',
  async (_, id, faulty) => {
    const proxy = await startFaultyServer(push.port, faulty);
    const { port } = proxy.address() as AddressInfo;
    const [result] = await judged(
      targetAt(server.port, `http://127.0.0.1:${port}`),
      cases.filter((each) => each.id === `beams/arrives-${id}`),
    );
    expect(result).toMatchObject({ outcome: 'failed' });
    proxy.closeAllConnections();
    proxy.close();
  },
  30_000,
);

it('English that Pusher puts otherwise is told, and is a failure with --strict alone', async () => {
  const proxy = await startFaultyServer(server.port, {
    answer: (status, text) => [status, status === 401 ? 'Go away' : text],
  });
  const { port } = proxy.address() as AddressInfo;
  const chosen = cases.filter(({ id }) => id === 'http-api/signature-wrong');
  const reported = (options: Partial<SuiteOptions>) =>
    reportOn(targetAt(port), chosen, { format: 'table', ...options }).then(({ hasFailed }) => hasFailed);
  expect(await judged(targetAt(port), chosen)).toMatchObject([{ outcome: 'wording' }]);
  expect([await reported({}), await reported({ strict: true })]).toEqual([false, true]);
  proxy.closeAllConnections();
  proxy.close();
});

it('what was skipped is a failure with --no-skips alone', async () => {
  const chosen = cases.filter(({ id }) => id === 'connection/silence');
  const reported = (options: Partial<SuiteOptions>) =>
    reportOn(targetAt(server.port), chosen, { format: 'table', ...options }).then(({ hasFailed }) => hasFailed);
  expect([await reported({}), await reported({ skips: false })]).toEqual([false, true]);
});

it('a server that answers 201 to triggers differs in the cases that say 200, and in no others', async () => {
  const proxy = await startFaultyServer(server.port, {
    answer: (status, text) => [status === 200 && text === '{}' ? 201 : status, text],
  });
  const { port } = proxy.address() as AddressInfo;
  const results = await judged(
    { ...targetAt(port), ...patient },
    cases.filter(({ id }) => id.startsWith('http-api/')),
  );
  const differing = results.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id);
  expect(differing).toEqual(['http-api/event', 'http-api/batch']);
  proxy.closeAllConnections();
  proxy.close();
}, 60_000);

it('where no trigger is accepted, one case fails for it, and those that need one are skipped', async () => {
  const proxy = await startFaultyServer(server.port, { answer: () => [500, 'no'] });
  const { port } = proxy.address() as AddressInfo;
  const results = await judged(
    { ...targetAt(port), ...soon },
    cases.filter(({ id }) => /^(http-api\/(event|once|order|excluded)|subscriptions\/twice)$/.test(id)),
  );
  const outcomes = results.map(({ id, outcome }) => `${id} ${outcome}`);
  expect(outcomes.filter((each) => each.endsWith('failed'))).toEqual(['http-api/event failed']);
  expect(outcomes.filter((each) => each.endsWith('skipped'))).toHaveLength(4);
  proxy.closeAllConnections();
  proxy.close();
}, 30_000);

it('a server below a path is judged there', async () => {
  const nested = await startChannels({ apps: [judgedApp()], path: '/ws' });
  const results = await judged(
    { ...targetAt(nested.port), url: `http://127.0.0.1:${nested.port}/ws` },
    cases.filter(({ id }) => /^(http-api\/(event|occupied|once)|connection\/greeting)$/.test(id)),
  );
  await nested.close();
  expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 4 }, () => 'passed'));
});

it('a failed case says what was sent last, and a report for build servers has its id, source and outcome', async () => {
  const proxy = await startFaultyServer(server.port, { frame: without('pusher:pong') });
  const { port } = proxy.address() as AddressInfo;
  const results = await judged(
    { ...targetAt(port), ...soon },
    cases.filter(({ id }) => id === 'connection/ping'),
  );
  expect(asTable(results)).toMatch(/failed: connection\/ping\n.*\n.*\n {2}last sent: \{"event":"pusher:ping"\}\n/);
  expect(asJunit(results)).toMatch(
    /<testcase classname="connection" name="connection\/ping".*<property name="source" value="https:.*<property name="outcome" value="failed"\/><property name="sent" value="\{&#34;event/,
  );
  proxy.closeAllConnections();
  proxy.close();
});

it('what keeps every case from being judged is told in one line', async () => {
  const obstacle = (changes: Partial<Target>) =>
    obstacleTo({ ...targetAt(server.port), ...changes }, cases, { format: 'table' });
  expect(await obstacle({})).toBeUndefined();
  expect(await obstacle({ secret: 'wrong' })).toMatch(
    /^http:\S+ refuses the key and the secret of app \d+: 401 Invalid/,
  );
  const gone = await freePort();
  expect(await obstacle({ url: `http://127.0.0.1:${gone}` })).toMatch(/^http:\S+ does not answer: .*ECONNREFUSED/);
  expect(await obstacle({ appId: 'none' })).toMatch(
    /^http:\S+ (knows no|refuses the key and the secret of) app none: 40/,
  );
});

it('a port that is taken keeps it from judging, and is no failed case', async () => {
  const taken = createServer().listen(0, '0.0.0.0');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const free = await freePort();
  for (const options of [{ webhookPort: port }, { webhookPort: free, pushService: `http://0.0.0.0:${port}` }])
    await expect(reportOn(targetAt(server.port), [], { format: 'table', ...options })).rejects.toThrow(NotJudged);
  (await WebhookListener.listen(free)).close();
  taken.close();
});

it('the profile of Channels has what every client needs, and nothing of Beams', () => {
  const idsOf = (profile?: Profile) => new Set(chosenCases({ ...(profile && { profile }) }).map(({ id }) => id));
  const [core, channels, beams, all] = [idsOf('channels-core'), idsOf('channels'), idsOf('beams'), idsOf()];
  expect(core.size).toBeGreaterThan(50);
  expect(channels.size).toBeGreaterThan(core.size);
  expect([...core].filter((id) => !channels.has(id))).toEqual([]);
  expect([...beams].filter((id) => channels.has(id))).toEqual([]);
  expect(channels.size + beams.size).toBe(all.size);
});

it('Beams is not judged where no instance is named', async () => {
  const { push: _, ...withoutPush } = targetAt(server.port);
  const results = await judged(
    withoutPush,
    cases.filter(({ profile }) => profile === 'beams'),
  );
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
});

it('a server that is not there fails, and nothing is taken for passed', async () => {
  const results = await judged(targetAt(await freePort()), cases.slice(0, 3));
  expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
});

it('a request that gets no answer fails', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, resolve));
  const { port } = silent.address() as AddressInfo;
  const results = await judged(
    { ...targetAt(port), patienceMs: 100 },
    cases.filter(({ id }) => id === 'http-api/event'),
  );
  expect(results).toMatchObject([{ outcome: 'failed', note: expect.stringMatching(/timeout/) as string }]);
  silent.closeAllConnections();
  silent.close();
});

it('a dialect is named, and counts as no failure', async () => {
  const proxy = await startFaultyServer(server.port, {
    answer: (status, text) => [status, text === '{}' ? '{"ok":true}' : text],
  });
  const { port } = proxy.address() as AddressInfo;
  const results = await judged(
    targetAt(port),
    cases.filter(({ id }) => id === 'http-api/event'),
  );
  expect(results).toMatchObject([{ outcome: 'dialect', note: expect.stringMatching(/^like soketi: /) as string }]);
  expect(asTable(results)).toMatch(/all +0 +0 +1 +0 +0\n\ndialect: http-api\/event\n/);
  expect(asJunit(results)).toMatch(
    /tests="1" failures="0" skipped="1"[^]*<skipped type="dialect" message="like soketi/,
  );
  proxy.closeAllConnections();
  proxy.close();
});
