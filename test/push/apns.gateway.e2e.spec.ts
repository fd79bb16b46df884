import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeviceAddress, Instance } from 'rookery/push-device';
import { standInApns, type ApnsAnswer, type StandInApns, type StandInApnsOptions } from '../support/stand-ins/index.js';
import { listen } from '../support/stand-ins/listen.js';
import { authority } from '../support/tls/index.js';
import { PlatformFault, SendLater, type PreparedNotification } from '../../libs/publish/src/delivery/push.gateway.js';
import { ApnsGateway, type ApnsGatewayOptions } from '../../libs/publish/src/delivery/apns/apns.gateway.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function apple(options?: StandInApnsOptions): Promise<StandInApns> {
  const standIn = await standInApns(options);
  open.push(standIn);
  return standIn;
}

function gatewayWith(options: ApnsGatewayOptions = {}): ApnsGateway {
  const gateway = new ApnsGateway({ ca: authority, ...options });
  open.push(gateway);
  return gateway;
}

/** A way to the stand-in on which, once frozen, nothing moves and nothing is said. */
async function tunnelTo({ url }: StandInApns): Promise<{ readonly url: string; freeze(): void }> {
  const ends: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    ends.push(near, far);
    for (const end of [near, far]) end.on('error', () => {});
    near.pipe(far).pipe(near);
  });
  const { port, close } = await listen(server);
  open.push({ close });
  const freeze = () => ends.forEach((end) => end.unpipe().pause());
  return { url: `https://localhost:${port}`, freeze };
}

const instanceOf = (standIn: StandInApns): Instance => ({
  id: '8f9a6e22-2483-49aa-8552-125f1a4c5781',
  secretKey: 's',
  apns: standIn.credentials,
});

const prepare = (
  standIn: StandInApns,
  gateway = gatewayWith(),
  payload: Record<string, unknown> = { aps: { alert: 'hi' } },
) =>
  gateway.prepare({
    instance: instanceOf(standIn),
    publishId: 'pubid-1',
    publishedAt: Date.now(),
    payload,
  }) as Promise<PreparedNotification>;

const device = (token: string, bundleIdentifier = 'com.example.app'): DeviceAddress => ({
  id: `apns-${token}`,
  platform: 'apns',
  token,
  bundleIdentifier,
  registeredAt: 0,
});

const tokens = (count: number) => Array.from({ length: count }, (_, i) => i.toString(16).padStart(8, '0'));

const failureOf = (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

it('sends the payload with the topic of the device and a provider token', async () => {
  const standIn = await apple();
  const prepared = await prepare(standIn, gatewayWith(), { aps: { alert: 'hi' }, collapse_id: 'c', data: { a: 1 } });
  expect(await prepared.send(device('abcd'))).toEqual({ outcome: 'delivered' });
  expect(standIn.received).toMatchObject([
    {
      token: 'abcd',
      payload: { aps: { alert: 'hi' }, data: { a: 1, pusher: { publishId: 'pubid-1' } } },
      headers: { 'apns-topic': 'com.example.app', 'apns-collapse-id': 'c', 'apns-push-type': 'alert' },
      providerToken: { header: { alg: 'ES256', kid: 'ABC123DEFG' }, claims: { iss: 'DEF123GHIJ' } },
    },
  ]);
});

describe('the meaning of an answer', () => {
  const rejected = (reason: string) => ({ outcome: 'rejected', reason });
  it.each<[number, string, object]>([
    [400, 'BadDeviceToken', { outcome: 'unregistered' }],
    [400, 'DeviceTokenNotForTopic', { outcome: 'unregistered' }],
    ...[
      'BadCollapseId',
      'BadExpirationDate',
      'BadMessageId',
      'BadPriority',
      'BadTopic',
      'DuplicateHeaders',
      'IdleTimeout',
      'InvalidPushType',
      'MissingDeviceToken',
      'MissingTopic',
      'PayloadEmpty',
      'TopicDisallowed',
    ].map((reason): [number, string, object] => [400, reason, rejected(reason)]),
    [404, 'BadPath', rejected('BadPath')],
    [405, 'MethodNotAllowed', rejected('MethodNotAllowed')],
    [410, 'Unregistered', { outcome: 'unregistered' }],
    [410, 'ExpiredToken', { outcome: 'unregistered' }],
    [413, 'PayloadTooLarge', rejected('PayloadTooLarge')],
  ])('%i %s', async (status, reason, outcome) => {
    const standIn = await apple();
    standIn.answer('abcd', { status, reason });
    expect(await (await prepare(standIn)).send(device('abcd'))).toEqual(outcome);
  });

  it('410 with its timestamp', async () => {
    const standIn = await apple();
    standIn.answer('abcd', { status: 410, reason: 'Unregistered', timestamp: 1_700_000_000_123 });
    const outcome = await (await prepare(standIn)).send(device('abcd'));
    expect(outcome).toEqual({ outcome: 'unregistered', before: 1_700_000_000_123 });
  });

  it.each(['BadCertificate', 'BadCertificateEnvironment', 'Forbidden', 'InvalidProviderToken'])(
    '403 %s: the fault of the app, with its bundle identifier and the key’s id',
    async (reason) => {
      const standIn = await apple();
      standIn.answer('abcd', { status: 403, reason });
      const fault = await failureOf((await prepare(standIn)).send(device('abcd')));
      expect(fault).toBeInstanceOf(PlatformFault);
      expect(fault.message).toBe(`APNs refuses key ABC123DEFG for com.example.app: ${reason}`);
      expect(fault).toMatchObject({ bundleIdentifier: 'com.example.app' });
    },
  );

  it('403 MissingProviderToken: the fault of the platform', async () => {
    const standIn = await apple();
    standIn.answer('abcd', { status: 403, reason: 'MissingProviderToken' });
    const fault = await failureOf((await prepare(standIn)).send(device('abcd')));
    expect(fault).toEqual(new PlatformFault('APNs refuses key ABC123DEFG: MissingProviderToken'));
  });

  it.each<[ApnsAnswer, object]>([
    [
      { status: 429, reason: 'TooManyRequests' },
      { reason: 'TooManyRequests', retryAfterMs: undefined },
    ],
    [
      { status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '7' } },
      { reason: 'TooManyRequests', retryAfterMs: 7000 },
    ],
    [{ status: 408 }, { reason: 'HTTP 408' }],
    [
      { status: 403, reason: 'Forbidden', headers: { 'retry-after': '7' } },
      { reason: 'Forbidden', retryAfterMs: 7000 },
    ],
    [{ status: 500, reason: 'InternalServerError' }, { reason: 'InternalServerError' }],
    [{ status: 503, reason: 'ServiceUnavailable', headers: { 'retry-after': '900' } }, { retryAfterMs: 900_000 }],
    [{ status: 503, reason: 'Shutdown' }, { reason: 'Shutdown' }],
    [{ status: 502 }, { reason: 'HTTP 502' }],
    [{ hangUp: true }, { reason: 'ConnectionLost' }],
  ])('%j: later', async (answer, expected) => {
    const standIn = await apple();
    standIn.answer('abcd', answer);
    const later = await failureOf((await prepare(standIn)).send(device('abcd')));
    expect(later).toBeInstanceOf(SendLater);
    expect(later).toMatchObject(expected);
  });

  it('no answer in time: later', async () => {
    const standIn = await apple();
    standIn.answer('abcd', { silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 1000 }));
    expect(await failureOf(prepared.send(device('abcd')))).toMatchObject({ reason: 'Timeout' });
  });
});

describe('GOAWAY', () => {
  it('in the middle of many sends loses and repeats nothing', async () => {
    const standIn = await apple();
    const all = tokens(3000);
    for (const at of [500, 1000, 1500, 2000, 2500]) standIn.answer(all[at]!, { goaway: true }, { status: 200 });
    const prepared = await prepare(standIn);
    const outcomes = await Promise.all(all.map((token) => prepared.send(device(token))));
    expect(outcomes.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    expect(standIn.received.map(({ token }) => token).sort()).toEqual(all);
    expect(standIn.connections).toBeGreaterThan(1);
  });

  it('with an error code resends unread requests too', async () => {
    const standIn = await apple();
    standIn.answer('bbbb', { goaway: true, errorCode: 11 }, { status: 200 });
    const prepared = await prepare(standIn);
    expect(await prepared.send(device('aaaa'))).toEqual({ outcome: 'delivered' });
    expect(await prepared.send(device('bbbb'))).toEqual({ outcome: 'delivered' });
    expect(standIn.connections).toBe(2);
  });

  it('repeatedly postpones the device', async () => {
    const standIn = await apple();
    standIn.answer('bbbb', { goaway: true });
    const prepared = await prepare(standIn);
    await prepared.send(device('aaaa'));
    expect(await failureOf(prepared.send(device('bbbb')))).toBeInstanceOf(SendLater);
  });
});

describe('the provider token', () => {
  it('is signed with a key whose line breaks are written as \\n', async () => {
    const standIn = await apple();
    const credentials = { ...standIn.credentials, key: standIn.credentials.key.replaceAll('\n', String.raw`\n`) };
    const prepared = await prepare({ credentials } as StandInApns);
    expect(await prepared.send(device('aa'))).toEqual({ outcome: 'delivered' });
  });

  it('is shared by all sends, instances and publishes of a key', async () => {
    const standIn = await apple();
    const gateway = gatewayWith();
    const prepared = [await prepare(standIn, gateway), await prepare(standIn, gateway)];
    await Promise.all(tokens(40).map((token, i) => prepared[i % 2]!.send(device(token))));
    expect(standIn.received).toHaveLength(40);
    expect(standIn.providerTokens.size).toBe(1);
  });

  it('that Apple reports as expired is renewed once, and the notification resent', async () => {
    const clock = { here: Date.now(), atApple: Date.now() + 61 * 60_000 };
    const standIn = await apple({ now: () => clock.atApple });
    const prepared = await prepare(standIn, gatewayWith({ now: () => clock.here }));
    clock.here += 2 * 60_000;
    const outcomes = await Promise.all(tokens(30).map((token) => prepared.send(device(token))));
    expect(outcomes.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    expect(standIn.providerTokens.size).toBe(2);
  });

  it("that Apple always reports as expired is the platform's fault, without repeated renewals", async () => {
    const standIn = await apple({ now: () => Date.now() + 24 * 3600_000 });
    const prepared = await prepare(standIn);
    for (const token of tokens(10)) {
      const fault = await failureOf(prepared.send(device(token)));
      expect(fault).toMatchObject({ message: 'APNs refuses key ABC123DEFG: ExpiredProviderToken' });
    }
    expect(standIn.providerTokens.size).toBeLessThanOrEqual(2);
  });

  it('that Apple counts as one too many is tried again after the usual wait, at last on another connection', async () => {
    let now = Date.now();
    const standIn = await apple();
    standIn.answer('abcd', { status: 429, reason: 'TooManyProviderTokenUpdates' });
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    const connections: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      const later = await failureOf(prepared.send(device('abcd')));
      expect(later).toEqual(new SendLater('TooManyProviderTokenUpdates'));
      connections.push(standIn.connections);
      now += 1000;
    }
    expect(connections).toEqual([1, 1, 2]);
    standIn.answer('abcd', { status: 200 });
    expect(await prepared.send(device('abcd'))).toEqual({ outcome: 'delivered' });
    expect(standIn.providerTokens.size).toBe(1);
  });
});

describe('connections', () => {
  it('carry one stream until an authenticated request has succeeded', async () => {
    const standIn = await apple({ delayMs: 5 });
    const prepared = await prepare(standIn);
    await Promise.all(tokens(200).map((token) => prepared.send(device(token))));
    expect(standIn.streamsBeforeFirstAnswer).toBe(1);
    expect(standIn.maxStreams).toBeGreaterThan(10);
  });

  it('stay at one stream while the provider token is refused', async () => {
    const standIn = await apple({ delayMs: 1 });
    standIn.answerAll({ status: 403, reason: 'InvalidProviderToken' });
    const prepared = await prepare(standIn);
    await Promise.allSettled(tokens(50).map((token) => prepared.send(device(token))));
    expect(standIn.maxStreams).toBe(1);
    expect(standIn.connections).toBe(1);
  });

  it("carry at most the streams of the peer's SETTINGS, and grow under load", async () => {
    const standIn = await apple({ maxConcurrentStreams: 10, delayMs: 5 });
    const prepared = await prepare(standIn, gatewayWith({ connections: 3 }));
    const outcomes = await Promise.all(tokens(300).map((token) => prepared.send(device(token))));
    expect(outcomes.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    expect(standIn.maxStreams).toBe(10);
    expect(standIn.connections).toBe(3);
  });

  it('stay one if one is enough', async () => {
    const standIn = await apple();
    const prepared = await prepare(standIn);
    for (const token of tokens(50)) await prepared.send(device(token));
    expect(standIn.connections).toBe(1);
  });

  it("are separate for each team's key", async () => {
    const [first, second] = [await apple(), await apple()];
    const gateway = gatewayWith();
    await (await prepare(first, gateway)).send(device('aa'));
    await (await prepare(second, gateway)).send(device('bb'));
    expect([first.received[0]?.token, second.received[0]?.token]).toEqual(['aa', 'bb']);
  });

  it('are replaced when they break', async () => {
    const standIn = await apple();
    standIn.answer('cc', { hangUp: true }, { status: 200 });
    const prepared = await prepare(standIn);
    await prepared.send(device('aa'));
    expect(await failureOf(prepared.send(device('cc')))).toMatchObject({ reason: 'ConnectionLost' });
    expect(await prepared.send(device('cc'))).toEqual({ outcome: 'delivered' });
    expect(standIn.connections).toBe(2);
  });

  it('are closed after a long idle time, and opened again', async () => {
    const standIn = await apple();
    const prepared = await prepare(standIn, gatewayWith({ pingEveryMs: 300, idleAfterMs: 100 }));
    await prepared.send(device('aa'));
    await expect.poll(() => standIn.openConnections).toBe(0);
    expect(await prepared.send(device('bb'))).toEqual({ outcome: 'delivered' });
    expect(standIn.connections).toBe(2);
  });

  it('that answer no ping are closed', async () => {
    const standIn = await apple();
    const tunnel = await tunnelTo(standIn);
    const credentials = { ...standIn.credentials, endpoint: tunnel.url };
    const prepared = await prepare({ credentials } as StandInApns, gatewayWith({ pingEveryMs: 300 }));
    await prepared.send(device('aa'));
    tunnel.freeze();
    expect(await failureOf(prepared.send(device('bb')))).toMatchObject({ reason: 'ConnectionLost' });
  });

  it('to a peer that does not speak HTTP/2 are closed in time', async () => {
    const { port, close } = await listen(createServer(() => {}));
    open.push({ close });
    const { credentials } = await apple();
    const mute = { credentials: { ...credentials, endpoint: `https://localhost:${port}` } } as StandInApns;
    const prepared = await prepare(mute, gatewayWith({ timeoutMs: 100 }));
    expect(await failureOf(prepared.send(device('aa')))).toMatchObject({ reason: 'Unreachable (ConnectionClosed)' });
  });

  it('that cannot be opened fail at once with a time to wait, and are tried again after it', async () => {
    const standIn = await apple();
    const { credentials } = standIn;
    await standIn.close();
    const prepared = await prepare({ credentials } as StandInApns);
    const refused = await failureOf(prepared.send(device('aa')));
    expect(refused).toMatchObject({ reason: 'Unreachable (ECONNREFUSED)', retryAfterMs: 200 });
    const soon = await failureOf(prepared.send(device('aa')));
    expect(soon).toMatchObject({ reason: 'Unreachable' });
    await expect
      .poll(() => failureOf(prepared.send(device('aa'))))
      .toMatchObject({ reason: 'Unreachable (ECONNREFUSED)', retryAfterMs: 400 });
  });

  it('trust no peer without a certificate for the name', async () => {
    const standIn = await apple();
    const stranger = new ApnsGateway();
    open.push(stranger);
    const prepared = await prepare(standIn, stranger);
    expect(await failureOf(prepared.send(device('aa')))).toMatchObject({
      reason: expect.stringMatching(/^Unreachable \(.*(CERT|LEAF|SIGNED)/),
    });
  });
});

describe('devices are untrusted', () => {
  it.each(['../../../other', 'a/b', 'a b', 'ü\ud800'])('the token %j stays within its path segment', async (token) => {
    const standIn = await apple();
    await (await prepare(standIn)).send(device(token));
    expect(decodeURIComponent(standIn.received[0]!.token)).toBe(Buffer.from(token).toString());
    expect(standIn.received[0]!.token).not.toContain('/');
  });

  it.each([
    ['token', { token: 'a'.repeat(8192) }],
    ['token that grows in a path', { token: '漢'.repeat(8192) }],
    ['bundle identifier', { bundleIdentifier: 'x'.repeat(4096) }],
  ])('a %s that is too long for a request is not sent, and disturbs no other device', async (_, hostile) => {
    const standIn = await apple();
    const prepared = await prepare(standIn);
    const devices = tokens(300).flatMap((token) => [device(token), { ...device(token), ...hostile }]);
    const outcomes = await Promise.all(devices.map((each) => prepared.send(each)));
    expect(outcomes.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(300);
    expect(outcomes[1]).toEqual({ outcome: 'rejected', reason: 'HTTP 431' });
    expect([standIn.received.length, standIn.connections]).toEqual([300, 1]);
  });

  it.each([
    [undefined, 'MissingTopic'],
    ['', 'BadTopic'],
    ['com.example\r\nx: y', 'BadTopic'],
  ])('the bundle identifier %j is not sent', async (bundleIdentifier, reason) => {
    const standIn = await apple();
    const outcome = await (await prepare(standIn)).send({ ...device('aa'), bundleIdentifier });
    expect(outcome).toEqual({ outcome: 'rejected', reason });
    expect(standIn.received).toEqual([]);
  });
});
