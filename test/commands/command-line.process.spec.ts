import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WebCredentials } from 'rookery/push-device';
import { WebPushGateway } from 'rookery/publish';
import { rookery, RunningCommand } from '../support/command-line.js';
import { applePem, googlePem } from '../support/private-keys.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { type Typed, typed } from '../support/typed-command.js';
import { until } from '../support/until.js';

// Each command runs once as a process, as it is packed, and otherwise within this one.
vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), 'rookery-commands-'));
const app = { id: '1', key: 'key-1', secret: 'secret-1', subscriptionCount: true };
let google: StandInFcm;
let server: ServerProcess;
/** What the server reads, as the commands do. */
let environment: Readonly<Record<string, string>>;
/** Runs a command for the app as a process. */
const run = (...args: readonly string[]) => rookery(args, environment);

/** Runs it within this process. */
function type(args: readonly string[], variables = environment): Promise<Typed> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return typed(args);
}

beforeAll(async () => {
  await buildServer();
  google = await standInFcm();
  const CONFIG_FILE = join(folder, 'rookery.json');
  writeFileSync(CONFIG_FILE, JSON.stringify({ apps: [app], instances: [{ ...instance, fcm: google.credentials }] }));
  const configured = { CONFIG_FILE, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
  server = await ServerProcess.start(configured);
  environment = { ...configured, PORT: `${server.port}` };
}, 180_000);
afterAll(async () => {
  await server?.kill();
  await google?.close();
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const failure = (code: number, stderr: string | RegExp) =>
  expect.objectContaining({ code, stdout: '', stderr: expect.stringMatching(stderr) as string }) as object;

it("says at the console's address what to set while the console is off", async () => {
  for (const path of ['/console', '/console/apps/1/live', '/console/api/session']) {
    const answer = await fetch(`${server.url}${path}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toMatch(/^The console is off. To turn it on, set CONSOLE_PASSWORD /);
  }
});

it('does not open a console that is off', async () => {
  await expect(type(['open'])).resolves.toEqual(failure(1, /the console at \S+ is off: set CONSOLE_PASSWORD/));
});

it('writes a configuration file that it finds good, and never over another', async () => {
  const file = join(folder, 'made.json');
  expect(await run('init', file, '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Wrote ${file}.`),
  });
  expect(await type(['config', 'check', file])).toMatchObject({ code: 0 });
  await expect(type(['init', file, '--yes'])).resolves.toEqual(failure(2, /made.json exists already/));
  await expect(type(['init', join(folder, 'asked.json')])).resolves.toEqual(
    failure(2, /there is no terminal to ask on/),
  );
});

it('shows triggered events to subscribers', async () => {
  const [reader, script] = [
    RunningCommand.start(['subscribe', 'news', 'presence-room', '--as', 'alice'], environment),
    RunningCommand.start(['subscribe', 'private-news', '--json', '-n', '1'], environment),
  ];
  try {
    for (const channel of ['news', 'presence-room']) await reader.says(`Subscribed to ${channel}`);
    await script.says('Subscribed to private-news');

    const sent = await run(
      'trigger',
      'news,private-news',
      'headline',
      '{"title":"Hello"}',
      '--info',
      'subscription_count',
    );
    expect(sent).toEqual({
      code: 0,
      stdout: 'Sent headline to news, private-news\nnews: subscription_count 1\nprivate-news: subscription_count 1\n',
      stderr: '',
    });
    await reader.says('headline');
    expect(reader.lines.at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}news {2}headline {2}\{"title":"Hello"\}$/);
    expect(await script.exit()).toBe(0);
    expect(JSON.parse(script.lines.at(-1)!)).toEqual({
      time: expect.any(String) as string,
      channel: 'private-news',
      event: 'headline',
      data: { title: 'Hello' },
    });

    expect((await rookery(['trigger', 'news', 'text', '-'], environment, 'from a pipe\n')).code).toBe(0);
    await reader.says('text  from a pipe');

    expect((await run('channels')).stdout).toBe('channel         users\nnews\npresence-room   1\n');
    expect(JSON.parse((await type(['channels', '--prefix', 'presence-', '--json'])).stdout)).toEqual({
      channels: { 'presence-room': { user_count: 1 } },
    });
    expect((await type(['channels', 'news', '--info', 'subscription_count'])).stdout).toBe(
      'news is occupied\nsubscriptions: 1\n',
    );
    expect((await run('users', 'on', 'presence-room')).stdout).toBe('alice\n');
    expect((await type(['users', 'send', 'alice', 'hi'])).stdout).toBe('Sent hi to alice\n');
    const signedIn = await SocketClient.connect(server.port, app);
    await signedIn.signin({ id: 'alice' });
    expect((await type(['users', 'terminate', 'alice'])).stdout).toBe('Ended the connections of alice\n');
    await signedIn.closing();
    const gone = async () =>
      (await type(['users', 'terminate', 'alice'])).stdout === 'No connection was signed in as alice\n';
    await until(gone, 'she is signed out');
  } finally {
    await Promise.all([reader.stop(), script.stop()]);
  }
});

it('shows texts of clients and servers escaped for terminals', async () => {
  // The title, the clipboard, and a line that looks like another event.
  const hostile = '\u001b]0;owned\u0007\u001b]52;c;cm0=\u0007\u009b2J\n00:00:00  news  paid';
  const shown = String.raw`\u001b]0;owned\u0007\u001b]52;c;cm0=\u0007\u009b2J\n00:00:00  news  paid`;
  const [reader, script] = [
    RunningCommand.start(['subscribe', 'presence-room', '--as', hostile], environment),
    RunningCommand.start(['subscribe', 'presence-room', '--json', '-n', '1'], environment),
  ];
  try {
    await Promise.all([reader, script].map((each) => each.says('Subscribed to presence-room')));
    expect((await type(['users', 'on', 'presence-room'])).stdout).toContain(`${shown}\n`);
    expect((await type(['trigger', 'presence-room', hostile, hostile])).code).toBe(0);
    await reader.says(`${shown}  ${shown}\n`);
    expect(await script.exit()).toBe(0);
    expect(JSON.parse(script.lines.at(-1)!)).toMatchObject({ event: hostile, data: hostile });
    for (const { stdout, stderr } of [reader, script])
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  } finally {
    await Promise.all([reader.stop(), script.stop()]);
  }
});

it('publishes to devices, and lists them', async () => {
  const path = join(folder, 'devices.jsonl');
  const device = { platform: 'fcm', token: 'token-1', userId: 'alice', interests: ['hello'] };
  writeFileSync(path, `${JSON.stringify(device)}\nno JSON\n`);
  const imported = await run('import', instance.id, path);
  expect(imported).toMatchObject({ code: 1, stdout: 'imported 1, refused 1\n' });
  expect(imported.stderr).toMatch(/^line 2 was refused: /);
  for (const [name, reason] of [
    [join(folder, 'none.jsonl'), 'no such file'],
    [folder, 'illegal operation on a directory'],
  ] as const)
    expect(await type(['import', instance.id, name])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^rookery: ${name}: .*${reason}`)) as string,
    });

  expect((await run('devices', '--interest', 'hello')).stdout).toMatch(
    /^device +platform +user +registered\nfcm-\S+ +fcm +alice +2/,
  );
  expect(JSON.parse((await type(['devices', '--user', 'alice', '--json'])).stdout)).toMatchObject([
    { userId: 'alice', interests: ['hello'] },
  ]);
  expect((await type(['devices', '--user', 'bob'])).stdout).toBe('No device found\n');

  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const later = await type(['publish', 'hello', '--title', 'Later', '--at', inAnHour]);
  const id = /pubid-\S+/.exec(later.stdout)![0];
  expect((await run('publishes', 'show', id)).stdout).toContain(`${id} is scheduled for ${inAnHour}`);
  expect((await type(['publishes', 'cancel', id])).stdout).toContain(`${id} is cancelled`);
  expect(await type(['publishes', 'cancel', 'pubid-unknown'])).toEqual(failure(1, /pubid-unknown|not found/i));

  const waited = await run('publish', 'hello', '--title', 'Hello', '--body', 'from here', '--wait');
  expect(waited.stdout).toMatch(/^pubid-\S+ is finished\n/);
  expect(waited.stdout).toContain('fcm: 1 of 1 sent\n');
  expect(google.received.at(-1)).toMatchObject({
    token: 'token-1',
    message: { notification: { title: 'Hello', body: 'from here' } },
  });
  const combined = await type(['publish', 'hello', '--all-of', 'hello', '--none-of', 'x,y', '--title', 'Hi', '--wait']);
  expect(combined.stdout).toContain('fcm: 1 of 1 sent\n');
  const excluded = await type(['publish', 'hello', '--none-of', 'x,hello', '--title', 'Hi', '--wait']);
  expect(excluded.stdout).toContain('fcm: 0 of 0 sent\n');
  expect(await type(['publish', 'alice', '--users', '--none-of', 'x', '--title', 'Hi'])).toEqual(failure(2, /--users/));
  const payload = ['--payload', '{"fcm":{"data":{"n":"1"}}}'];
  expect((await type(['publish', 'alice', '--users', ...payload])).stdout).toMatch(/^Accepted as pubid-/);
});

it('measures the latency of events', async () => {
  const figures = await run('bench', '--subscribers', '3', '--triggers', '5', '--json');
  expect(JSON.parse(figures.stdout)).toMatchObject({
    subscribers: 3,
    triggers: 5,
    latencyMs: { p50: expect.any(Number) },
  });
});

describe('doctor', () => {
  it('finds no fault in a correct setup', async () => {
    const { code, stdout, stderr } = await run('doctor', '--url', server.url);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      'ok     configuration: apps: 1, push instances: 1',
      'ok     database: SQLite 3.',
      'ok     database: its file is not damaged',
      'ok     database: its tables are up to date',
      'ok     database: it takes writes',
      'ok     cluster: alone: others need PostgreSQL or Redis',
      `ok     fcm ${instance.id}: it can be reached, and accepts the credentials`,
      `ok     ${server.url}: it answers a signed request`,
      `ok     ${server.url}: the server's clock agrees`,
      `ok     ${server.url}: ws accepts a handshake and a subscription, and delivered an event`,
      `ok     ${server.url}: xhr_streaming sends its greeting`,
      `ok     ${server.url}: xhr_polling sends its greeting`,
    ])
      expect(stdout).toContain(line);
    expect(stdout).toMatch(/\nNo faults found\.\n$/);
  });

  it('names a fix for each fault', async () => {
    const { key, keyId, teamId } = { key: applePem(), keyId: 'KEY', teamId: 'TEAM' };
    const path = join(folder, 'faulty.json');
    const wrong = { ...google.credentials.serviceAccount, private_key: googlePem() };
    const web = { vapidPublicKey: 'a', vapidPrivateKey: 'b', subject: 'mailto:you@example.com' };
    const apns = { key, keyId, teamId, endpoint: 'not a URL' };
    const faulty = { ...instance, apns, fcm: { serviceAccount: wrong }, web };
    const webhooks = [{ url: 'http://127.0.0.1:2/hook' }];
    writeFileSync(path, JSON.stringify({ apps: [{ ...app, secret: 'other', webhooks }], instances: [faulty] }));
    const { code, stdout } = await rookery(['doctor', '--json', '--url', server.url, '--url', 'http://127.0.0.1:2'], {
      CONFIG_FILE: path,
      DATABASE_URL: 'postgres://127.0.0.1:2/none',
      REDIS_URL: 'redis://127.0.0.1:2',
    });
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as {
      findings: { about: string; state: string; text: string; fix?: string }[];
    };
    const faults = findings.filter(({ state }) => state === 'fault');
    expect(faults.every(({ fix }) => fix)).toBe(true);
    const texts = faults.map(({ about, text }) => `${about}: ${text}`);
    for (const text of [
      /^database: DATABASE_URL: connect ECONNREFUSED/,
      /^Redis: REDIS_URL: connect ECONNREFUSED/,
      /^apns \S+: The APNs endpoint not a URL is not a URL/,
      /^fcm \S+: Google gives \S+ no access token: invalid_grant/,
      /^web \S+: vapidPublicKey and vapidPrivateKey are not a P-256 key pair/,
      /^webhook http:\/\/127.0.0.1:2\/hook: it cannot be reached: ECONNREFUSED/,
      /^http:\S+: http:\S+ answers 401/,
      /^http:\/\/127.0.0.1:2: http:\S+ does not answer: connect ECONNREFUSED/,
    ])
      expect(texts).toContainEqual(expect.stringMatching(text));
    expect(stdout).not.toContain('"other"');
  });

  it.each(['doctor', 'config check'])('names the setting of a key that cannot be read, in %s', async (command) => {
    const path = join(folder, 'unreadable.json');
    const apns = { key: applePem().slice(0, 100), keyId: 'KEY', teamId: 'TEAM' };
    writeFileSync(path, JSON.stringify({ apps: [app], instances: [{ ...instance, apns }] }));
    const { code, stdout, stderr } = await type(command.split(' '), { CONFIG_FILE: path });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('instances[0].apns.key must be the text of an Apple .p8 file, got string');
    expect(stdout + stderr).not.toContain(apns.key.split('\n')[1]);
  });

  it('names a proxy that forwards no upgrades', async () => {
    const target = new URL(server.url);
    const proxy = createServer((request, response) => {
      const { method, url: path, headers } = request;
      const passed = httpRequest({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    proxy.on('upgrade', (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = proxy.address() as AddressInfo;
      const { code, stdout } = await run('doctor', '--url', `http://127.0.0.1:${port}`);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /FAULT {2}http:\S+: ws: .* Unexpected server response: 400\n +Configure the proxy to forward upgrades/,
      );
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });
});

const tlsFile = (name: string): string => join(import.meta.dirname, '../support/tls', name);

describe('config', () => {
  it('is checked before it is used', async () => {
    const { CONFIG_FILE } = environment;
    expect((await rookery(['config', 'check', CONFIG_FILE!])).stdout).toBe(
      `1 app: 1\n1 push instance: ${instance.id}\n`,
    );
    const path = join(folder, 'twice.json');
    writeFileSync(path, JSON.stringify({ apps: [app, app] }));
    const refused = await rookery(['config', 'check'], { CONFIG_FILE: path });
    expect(refused).toEqual(failure(1, /^rookery: ChannelsModule: two apps have the id "1"\n$/));
  });

  it('is checked with the files of the certificate', async () => {
    const files = { TLS_CERT_FILE: tlsFile('rsa.pem'), TLS_KEY_FILE: tlsFile('localhost-key.pem') };
    const refusal = 'TLS_CERT_FILE, TLS_KEY_FILE: the key does not belong to the certificate';
    expect(await type(['config', 'check'], files)).toEqual(failure(1, new RegExp(`^rookery: ${refusal}\n$`)));
    expect((await type(['doctor'], files)).stdout).toContain(`FAULT  configuration: ${refusal}`);
  });

  it('has a schema for editors, which is in the package', async () => {
    const { stdout } = await type(['config', 'schema']);
    const shipped = readFileSync(join(import.meta.dirname, '../../dist/rookery/config.schema.json'), 'utf8');
    expect(stdout).toBe(shipped);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: expect.any(String), properties: { apps: { type: 'array' } } });
  });
});

describe('keys', () => {
  it('for web push are a new valid pair each time', async () => {
    const [web, other] = [await run('keys', 'vapid'), await type(['keys', 'vapid'])].map(
      ({ stdout }) => JSON.parse(stdout) as WebCredentials,
    );
    const gateway = new WebPushGateway();
    const notification = { instance: { ...instance, web }, publishId: 'pubid-1', publishedAt: 0, payload: {} };
    expect(await gateway.prepare(notification)).toHaveProperty('send');
    await gateway.close();
    expect(other).not.toEqual(web);
  });

  it('of an app and an instance fit into a configuration', async () => {
    const [made, instances] = [await type(['keys', 'app']), await type(['keys', 'instance'])];
    const file = { apps: [JSON.parse(made.stdout)], instances: [JSON.parse(instances.stdout)] };
    const path = join(folder, 'made.json');
    writeFileSync(path, JSON.stringify(file));
    const answer = await type(['channels', '--url', server.url], { CONFIG_FILE: path });
    expect(answer).toEqual(failure(1, /answers 401/));
  });
});

describe('errors are one line:', () => {
  it.each<[string, readonly string[], number, RegExp]>([
    [
      'no server',
      ['trigger', 'a', 'b', '--url', 'http://127.0.0.1:2'],
      1,
      /^rookery: http:\S+ does not answer: connect ECONNREFUSED .*\n$/,
    ],
    [
      'a wrong key',
      ['subscribe', 'a', '--key', 'x', '--secret', 'y'],
      1,
      /^rookery: http:\S+ sent no greeting on the socket: it was closed with 4001 .*\n$/,
    ],
    [
      'an app that is not there',
      ['trigger', 'a', 'b', '--app', '7'],
      2,
      /^rookery: --app 7 is not configured: there are 1\nSee: rookery trigger --help\n$/,
    ],
    [
      'a wrong secret',
      ['channels', '--secret', 'wrong', '--key', 'key-1', '--app', '1'],
      1,
      /answers 401: the secret is/,
    ],
    ['what the server refuses', ['trigger', 'a b', 'c'], 1, /^rookery: http:\S+ answers 400: .*\n$/],
    [
      'an encrypted channel',
      ['trigger', 'private-encrypted-a', 'b'],
      1,
      /^rookery: Cannot encrypt for private-encrypted-a\n$/,
    ],
  ])('%s', async (_, args, code, stderr) => {
    expect(await type(args)).toEqual(failure(code, stderr));
  });
});

it('serves without a command, with options instead of variables', async () => {
  const served = RunningCommand.start(['--port', '0', '--database', 'sqlite::memory:']);
  try {
    await served.says('Listening on http');
    const [url = ''] = /http:[^"]+/.exec(served.stdout) ?? [];
    expect((await type(['trigger', 'my-channel', 'my-event', '--url', url], {})).code).toBe(0);
    expect(served.stderr).toBe('');
  } finally {
    await served.stop();
  }
});
