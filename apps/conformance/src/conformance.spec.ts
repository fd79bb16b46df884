import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../../../test/support/channels-server.js';
import { type Faulty, startFaultyServer } from '../../../test/support/faulty-server.js';
import { instance } from '../../../test/support/push-app.js';
import { startPublishApp } from '../../../test/support/publish-app.js';
import type { Webhook } from './webhooks.js';
import { asJunit, asTable, cases, judged, type Target, WebhookListener } from './index.js';

let server: ChannelsServer;
let events: WebhookListener;
/** Gets what {@link alter} makes of the same webhooks. */
let altered: WebhookListener;
let relay: { readonly port: number; close(): void };
let alter: (webhook: Webhook) => readonly Webhook[] = () => [];
let push: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  events = await WebhookListener.listen(0, '127.0.0.1');
  altered = await WebhookListener.listen(0, '127.0.0.1');
  relay = await startRelay();
  server = await startChannels({ apps: [judgedApp()] });
  push = await startPublishApp();
});
afterAll(() => Promise.all([server.close(), push.close(), events.close(), altered.close(), relay.close()]));

const judgedApp = () => ({
  ...testApp,
  clientEvents: true,
  subscriptionCount: true,
  watchlist: true,
  webhooks: [events, relay].map(({ port }) => ({ url: `http://127.0.0.1:${port}/` })),
});

const targetAt = (port: number, pushUrl = push.url): Target => {
  const { id: appId, key, secret } = testApp;
  const ofPush = { url: pushUrl, instanceId: instance.id, secretKey: instance.secretKey };
  return { url: `http://127.0.0.1:${port}`, appId, key, secret, push: ofPush, webhooks: events };
};

/** A fault often is that something does not come. */
const soon = { patienceMs: 1000 };

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
}, 120_000);

it('Rookery does all that the suite asks', async () => {
  const results = await judged(targetAt(server.port), cases);
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  const documented = await readFile(new URL('../../../docs/conformance.md', import.meta.url), 'utf8');
  expect(documented).toContain(asTable(results));
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
}, 120_000);

it("Rookery does the same beside its host's router", async () => {
  const direct = await startChannels({ apps: [judgedApp()], bypassRouter: true });
  try {
    const results = await judged(
      targetAt(direct.port),
      cases.filter(({ profile }) => profile !== 'beams'),
    );
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  } finally {
    await direct.close();
  }
}, 120_000);

async function startRelay() {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      response.end();
      for (const { headers, body: changed } of alter({ headers: request.headers, body })) {
        const names = ['content-type', 'x-pusher-key', 'x-pusher-signature'].filter((name) => headers[name]);
        const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
        await fetch(`http://127.0.0.1:${altered.port}/`, { method: 'POST', headers: given, body: changed });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
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
        expect(['failed', 'dialect']).toContain(result?.outcome);
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

it('Beams is not judged where no instance is named', async () => {
  const { push: _, ...withoutPush } = targetAt(server.port);
  const results = await judged(
    withoutPush,
    cases.filter(({ profile }) => profile === 'beams'),
  );
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
});

it('a server that is not there fails, and nothing is taken for passed', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const results = await judged(targetAt(port), cases.slice(0, 3));
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
  expect(asTable(results)).toMatch(/all +0 +0 +1 +0\n\ndialect: http-api\/event\n/);
  expect(asJunit(results)).toMatch(/tests="1" failures="0" skipped="1"[^]*<skipped message="like soketi/);
  proxy.closeAllConnections();
  proxy.close();
});
