import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { overSocket, type Signing, signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { rawExchange } from '../support/raw-http.js';
import { SocketClient } from '../support/socket-client.js';

const other = { id: '4', key: 'other-key', secret: 'other-secret' };
const disabled = { id: '5', key: 'disabled-key', secret: 'disabled-secret', enabled: false };
let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [testApp, other, disabled] });
});
afterAll(() => server.close());

const event = { name: 'e', channels: ['c'], data: 'd' };
const now = () => Math.floor(Date.now() / 1000);
const iso = /\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)/.source;

it.each(['http://push.example', 'HTTPS://push.example:443'])(
  'a signature covers the path alone in an absolute target, which a proxy may send: %s',
  async (origin) => {
    for (const { method, url, body = '' } of [signed('POST', '/events', event), signed('GET', '/channels')]) {
      const head = `${method} ${origin}${url} HTTP/1.1\r\nHost: push.example\r\nConnection: close`;
      const request = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${String(body)}`;
      expect(await rawExchange(server.port, [request])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
  },
);

describe.each(transports)('a signature, %s', (_, transport: Transport) => {
  const post = (signing: Signing) => transport(server, signed('POST', '/events', event, signing));

  it.each<[string, RegExp, () => Signing]>([
    ['no key', /^Missing parameter: auth_key\n$/, () => ({ auth: { auth_key: undefined } })],
    ['an unknown key', /^Unknown auth_key\n$/, () => ({ auth: { auth_key: 'nobody' } })],
    ['a key of another app', /^Unknown auth_key/, () => ({ app: other, appId: testApp.id })],
    ['a key of a known app for an app that is not', /^Unknown auth_key/, () => ({ appId: 'nowhere' })],
    ['no version', /^Version required\n$/, () => ({ auth: { auth_version: undefined } })],
    ['another version', /^Version not supported\n$/, () => ({ auth: { auth_version: '2.0' } })],
    ['no timestamp', /^Timestamp required\n$/, () => ({ auth: { auth_timestamp: undefined } })],
    ['a timestamp that is no number', /^Timestamp required/, () => ({ auth: { auth_timestamp: '1e9' } })],
    [
      'a timestamp in the past',
      new RegExp(`^Timestamp expired: Given timestamp ${iso} not within 600s of server time ${iso}\n$`),
      () => ({ auth: { auth_timestamp: String(now() - 605) } }),
    ],
    ['a timestamp in the future', /^Timestamp expired/, () => ({ auth: { auth_timestamp: String(now() + 605) } })],
    ['no digest of its body', /^Missing parameter: body_md5\n$/, () => ({ auth: { body_md5: undefined } })],
    [
      'the digest of another body',
      /^Invalid signature/,
      () => ({ auth: { body_md5: 'd41d8cd98f00b204e9800998ecf8427e' } }),
    ],
    ['an empty signature', /^Invalid signature/, () => ({ signature: '' })],
    ['the signature of another path', /^Invalid signature/, () => ({ signedPath: `/apps/${testApp.id}/channels` })],
    ['another app’s secret', /^Invalid signature/, () => ({ app: { ...testApp, secret: 'wrong' } })],
  ])('is refused with %s', async (_what, text, signing) => {
    const answer = await post(signing());
    expect(answer).toMatchObject({ status: 401, contentType: 'text/plain; charset=utf-8' });
    expect(answer.text).toMatch(text);
  });

  it('is answered with the text to sign, and no secret', async () => {
    const { text } = await post({ signature: 'abc' });
    expect(text).toMatch(
      /^Invalid signature: you should have sent HmacSHA256Hex\("POST\\n\/apps\/3\/events\\nauth_key=278d425bdf160c739803&auth_timestamp=\d+&auth_version=1\.0&body_md5=[0-9a-f]{32}", your_secret_key\), but you sent "abc"\n$/,
    );
    expect(text).not.toContain(testApp.secret);
  });

  it('is tolerated with the digest of an empty body', async () => {
    const auth = { body_md5: 'd41d8cd98f00b204e9800998ecf8427e' };
    expect(await transport(server, signed('GET', '/channels', undefined, { auth }))).toMatchObject({ status: 200 });
  });

  it('of a disabled app is answered 403', async () => {
    const answer = await post({ app: disabled });
    expect(answer).toMatchObject({ status: 403, contentType: 'text/plain; charset=utf-8' });
  });

  it('covers parameters by their lowercased keys and decoded values', async () => {
    const query = { Filter_By_Prefix: 'a b&=/ü+', info: '' };
    expect(await transport(server, signed('GET', '/channels', undefined, { query }))).toMatchObject({ status: 200 });
  });

  it('may treat a + of the query as a space', async () => {
    const auth = `auth_key=${testApp.key}&auth_timestamp=${now()}&auth_version=1.0`;
    const text = `GET\n/apps/3/channels\n${auth}&filter_by_prefix=a b`;
    const signature = createHmac('sha256', testApp.secret).update(text).digest('hex');
    const url = `/apps/3/channels?${auth}&filter_by_prefix=a+b&auth_signature=${signature}`;
    expect(await transport(server, { method: 'GET', url })).toMatchObject({ status: 200 });
  });

  it.each([
    ['a space', 'a b'],
    ['itself', 'a+b'],
  ])('reads a + of the query as it was signed: as %s', async (_what, signedName) => {
    const client = await SocketClient.connect(server.port);
    await client.subscribe('c');
    const auth = `auth_key=${testApp.key}&auth_timestamp=${now()}&auth_version=1.0&channel=c&data=d`;
    const text = `POST\n/apps/3/events\n${auth}&name=${signedName}`;
    const signature = createHmac('sha256', testApp.secret).update(text).digest('hex');
    const url = `/apps/3/events?${auth}&name=a+b&auth_signature=${signature}`;
    expect(await transport(server, { method: 'POST', url })).toMatchObject({ status: 200 });
    expect(await client.next(signedName)).toMatchObject({ data: 'd' });
    client.close();
  });

  it.each(['/users/a%20b/terminate_connections', '/users/a b/terminate_connections'])(
    'may cover the path as sent or decoded: %s',
    async (path) => {
      const request = signed('POST', '/users/a%20b/terminate_connections', '{}', { signedPath: `/apps/3${path}` });
      expect(await transport(server, request)).toMatchObject({ status: 200, text: '{}' });
    },
  );

  it.each([
    ['an escape of an escape', 'a%252Fb', 'a%2Fb'],
    ['such an escape of a letter', 'a%2562', 'a%62'],
    ['an escaped slash', 'a%2Fb', 'a/b'],
  ])('covers one path only: a target with %s is not the path that it decodes to', async (_what, sent, covered) => {
    const path = (user: string) => `/users/${user}/terminate_connections`;
    const [asSent, asCovered] = [signed('POST', path(sent), '{}'), signed('POST', path(covered), '{}')];
    for (const request of [asSent, asCovered])
      expect(await transport(server, request)).toMatchObject({ status: 200, text: '{}' });
    const replayed = { ...asCovered, url: asCovered.url.replace(path(covered), path(sent)) };
    expect(await transport(server, replayed)).toMatchObject({ status: 401 });
  });

  // Java and Go escape the whole path, whose sign of percent is no escape.
  it('may cover a sign of percent as it is', async () => {
    const signedPath = '/apps/3/users/100%/terminate_connections';
    const request = signed('POST', '/users/100%25/terminate_connections', '{}', { signedPath });
    expect(await transport(server, request)).toMatchObject({ status: 200, text: '{}' });
  });
});

it('accepts the worked example of the documentation at its time', async () => {
  vi.useFakeTimers({ now: 1353088179 * 1000, toFake: ['Date'] });
  try {
    const body = '{"name":"foo","channels":["project-3"],"data":"{\\"some\\":\\"data\\"}"}';
    const auth = { auth_timestamp: '1353088179' };
    const signature = 'da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c';
    const request = signed('POST', '/events', body, { auth, signature });
    expect(request.url).toContain('body_md5=ec365a775a4cd0599faeb73354201b6f');
    expect(await overSocket(server, request)).toMatchObject({ status: 200, text: '{}' });
  } finally {
    vi.useRealTimers();
  }
});

it('reads a chunked body, and keeps the connection alive', async () => {
  const { Agent, request } = await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  for (let n = 0; n < 3; n++) {
    const { url, body } = signed('POST', '/events', event);
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const sent = request(
        { agent, host: '127.0.0.1', port: server.port, method: 'POST', path: url, headers },
        (response) => {
          ports.add(sent.socket?.localPort);
          response.resume().on('end', () => resolve(response.statusCode));
        },
      );
      sent.on('error', reject);
      sent.write((body as string).slice(0, 10));
      sent.end((body as string).slice(10));
    });
    expect(status).toBe(200);
  }
  expect(ports.size).toBe(1);
  agent.destroy();
});

it("finds the app even if the host's prefix looks like the API's", async () => {
  const prefixed = await startChannels(
    { apps: [testApp], useGlobalPrefix: true },
    (app) => void app.setGlobalPrefix('apps'),
  );
  const path = `/apps/apps/${testApp.id}/events`;
  const request = signed('POST', '/events', { name: 'e', channel: 'c', data: 'x' }, { signedPath: path });
  expect(await overSocket(prefixed, { ...request, url: `/apps${request.url}` })).toMatchObject({ status: 200 });
  await prefixed.close();
});

it('does not treat a text of the query as a list', async () => {
  const query = { channels: 'abc', 'channels[]': 'd', name: 'e', data: 'x', info: 'subscription_count' };
  const request = signed('POST', '/events', undefined, { query });
  expect((await overSocket(server, request)).text).toBe('{"channels":{"d":{}}}');
});
