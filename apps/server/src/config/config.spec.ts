import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: unknown): { CONFIG_FILE: string } {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return { CONFIG_FILE: path };
}

const app = { id: '1', key: 'k', secret: 'a-secret-value' };
const withVariable = (name: string, text: string): Record<string, string> => ({
  PUSHER_APP_ID: app.id,
  PUSHER_APP_KEY: app.key,
  PUSHER_APP_SECRET: app.secret,
  [`PUSHER_APP_${name}`]: text,
});
const withHeaders = (headers: object): { CONFIG_FILE: string } =>
  file({ apps: [{ ...app, webhooks: [{ url: 'https://example.com', headers }] }] });

describe('the configuration', () => {
  it('is a development app on loopback by default', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 6001,
      isDevelopment: true,
      apps: [{ id: 'app-id', key: 'app-key', secret: 'app-secret' }],
      databaseUrl: 'sqlite:data/rookery.db',
      allowPrivateNetwork: false,
    });
  });

  it('has a trial instance for the first notification, on loopback and unless another is configured', () => {
    const [trial] = readConfig({}).instances;
    expect(trial).toMatchObject({ name: 'Trial', web: { subject: expect.any(String) as string } });
    expect(readConfig({ HOST: '0.0.0.0' }).instances).toEqual([]);
    expect(readConfig({ PUSHER_APP_ID: '1', PUSHER_APP_KEY: 'k', PUSHER_APP_SECRET: 's' }).instances).toEqual([]);
    expect(readConfig(file({ instances: [] })).instances).toEqual([]);
    const own = { BEAMS_INSTANCE_ID: '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d', BEAMS_SECRET_KEY: 'k' };
    expect(readConfig(own).instances.map(({ id }) => id)).toEqual([own.BEAMS_INSTANCE_ID]);
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow('no app is configured');
  });

  it('keeps the development app and instance to this machine, unless it listens elsewhere', () => {
    const [trial] = readConfig({}).instances;
    for (const HOST of ['', '127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      expect(readConfig({ HOST }).localOnly).toEqual(['app-id', trial!.id]);
    for (const HOST of ['0.0.0.0', '::', '192.168.1.7']) expect(readConfig({ HOST }).localOnly).toEqual([]);
    expect(readConfig(file({ apps: [app] })).localOnly).toEqual([]);
  });

  it('may be a variable, without a file', () => {
    const written = { apps: [{ ...app, clientEvents: true }], channels: { activityTimeoutSeconds: 60 } };
    expect(readConfig({ CONFIG: JSON.stringify(written) })).toEqual(readConfig(file(written)));
  });

  it('takes one app from the environment', () => {
    const environment = { PUSHER_APP_ID: '1', PUSHER_APP_KEY: 'k', PUSHER_APP_SECRET: 's', HOST: '::', PORT: '0' };
    expect(readConfig(environment)).toMatchObject({
      host: '::',
      port: 0,
      isDevelopment: false,
      apps: [{ id: '1', key: 'k', secret: 's' }],
    });
  });

  it('takes settings of that app from the environment', () => {
    const { id, key, secret } = app;
    const environment = {
      PUSHER_APP_ID: id,
      PUSHER_APP_KEY: key,
      PUSHER_APP_SECRET: secret,
      PUSHER_APP_CLIENT_EVENTS: 'true',
      PUSHER_APP_SUBSCRIPTION_COUNT: 'true',
      PUSHER_APP_ALLOWED_ORIGINS: 'shop.example, *.shop.example',
      PUSHER_APP_MAX_CONNECTIONS: '500',
      PUSHER_APP_CLIENT_EVENTS_PER_SECOND: '20',
      PUSHER_APP_TRIGGERS_PER_SECOND: '1000',
      PUSHER_APP_WEBHOOK_URL: 'https://shop.example/hook',
    };
    const settings = {
      clientEvents: true,
      subscriptionCount: true,
      allowedOrigins: ['shop.example', '*.shop.example'],
      maxConnections: 500,
      limits: { clientEventsPerSecond: 20, triggersPerSecond: 1000 },
    };
    const url = 'https://shop.example/hook';
    expect(readConfig(environment).apps).toEqual([{ ...app, ...settings, webhooks: [{ url }] }]);
    const events = 'channel_occupied,channel_vacated';
    expect(readConfig({ ...environment, PUSHER_APP_WEBHOOK_EVENTS: events }).apps).toEqual([
      { ...app, ...settings, webhooks: [{ url, events: ['channel_occupied', 'channel_vacated'] }] },
    ]);
  });

  it('runs everything in one process, unless ROLE or the file override it', () => {
    const instances = [{ id: '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d', secretKey: 's' }];
    expect(readConfig({}).role).toBe('all');
    expect(readConfig(file({ role: 'worker', instances })).role).toBe('worker');
    expect(readConfig({ ...file({ role: 'worker', instances }), ROLE: 'api' }).role).toBe('api');
  });

  it.each(['127.0.0.1', '10.0.0.0/8, ::1', 'loopback,uniquelocal', 'fd00::/8'])('trusts the proxies %s', (text) => {
    expect(readConfig({ TRUST_PROXY: text }).trustedProxies).toBe(text);
  });

  it('logs at LOG_LEVEL, by default at info', () => {
    expect(readConfig({ LOG_LEVEL: 'debug' }).logLevel).toBe('debug');
    expect(readConfig({}).logLevel).toBe('info');
  });

  it('serves metrics at METRICS_PORT of HOST, or of this machine where that is a socket', () => {
    expect(readConfig({ METRICS_PORT: '9601' }).metricsPort).toEqual({ host: '127.0.0.1', port: 9601 });
    expect(readConfig({ METRICS_PORT: '9601', HOST: '::' }).metricsPort).toEqual({ host: '::', port: 9601 });
    expect(readConfig({ METRICS_PORT: '9601', HOST: '/run/r' }).metricsPort).toEqual({ host: '127.0.0.1', port: 9601 });
    expect(readConfig({}).metricsPort).toBeUndefined();
  });

  it('is a worker for each core with WORKERS=max', () => {
    expect(readConfig({ WORKERS: 'max' }).workers).toBe(availableParallelism());
    expect(readConfig({ WORKERS: '3' }).workers).toBe(3);
  });

  it('takes apps and settings from a file', () => {
    const settings = {
      enabled: false,
      clientEvents: true,
      subscriptionCount: true,
      allowedOrigins: ['example.com'],
      maxConnections: null,
      webhooks: [{ url: 'https://example.com', events: ['channel_occupied'], headers: { 'x-a': 'b' } }],
    };
    const channels = {
      activityTimeoutSeconds: 60,
      limits: { presenceMembers: 500 },
      webhooks: { timeoutMs: 3000, holdMs: 0 },
      webhookSender: { concurrency: 64 },
    };
    expect(readConfig(file({ apps: [{ ...app, ...settings }], channels, bypassRouter: false }))).toMatchObject({
      apps: [{ ...app, ...settings }],
      channels,
      bypassRouter: false,
    });
    expect(readConfig({}).bypassRouter).toBe(true);
  });

  it('enables the console in development, and elsewhere with a password', () => {
    expect(readConfig({}).console).toEqual({ development: true });
    expect(readConfig(file({ apps: [app] })).console).toBeUndefined();
    const password = 'a long password';
    expect(readConfig({ CONSOLE_PASSWORD: password }).console).toEqual({ password });
    const inFile = file({ apps: [app], console: { password, hidePayloads: true, traceBytes: 0 } });
    expect(readConfig({ ...inFile, NODE_ENV: 'production' }).console).toEqual({
      password,
      hidePayloads: true,
      traceBytes: 0,
    });
  });

  it('serves only apps of the database if the file has an empty list, even in production', () => {
    for (const environment of [{}, { NODE_ENV: 'production' }])
      expect(readConfig({ ...file({ apps: [] }), ...environment })).toMatchObject({ apps: [], isDevelopment: false });
    expect(readConfig(file({ role: 'worker', instances: [] }))).toMatchObject({ role: 'worker', instances: [] });
  });

  it.each<[string, () => Record<string, string>, string]>([
    [
      'a development app in production',
      () => ({ NODE_ENV: 'production' }),
      'NODE_ENV is production and no app is configured',
    ],
    ['half an app', () => ({ PUSHER_APP_ID: '1' }), 'PUSHER_APP_KEY and PUSHER_APP_SECRET must be set together'],
    [
      'settings of an app that is not named',
      () => ({ PUSHER_APP_CLIENT_EVENTS: 'true' }),
      'PUSHER_APP_ID and PUSHER_APP_KEY and PUSHER_APP_SECRET must be set together with the other PUSHER_APP_ variables',
    ],
    ['client events that are neither on nor off', () => withVariable('CLIENT_EVENTS', 'yes'), 'must be true or false'],
    [
      'a limit in a word',
      () => withVariable('MAX_CONNECTIONS', 'many'),
      'PUSHER_APP_MAX_CONNECTIONS: maxConnections must be a whole number',
    ],
    [
      'a rate below zero',
      () => withVariable('TRIGGERS_PER_SECOND', '-1'),
      'PUSHER_APP_TRIGGERS_PER_SECOND: limits.triggersPerSecond must be a whole number, got -1',
    ],
    [
      'an origin with a path',
      () => withVariable('ALLOWED_ORIGINS', 'shop.example/cart'),
      'PUSHER_APP_ALLOWED_ORIGINS: allowedOrigins[0] must be a host as browsers send it',
    ],
    [
      'a webhook without a scheme',
      () => withVariable('WEBHOOK_URL', 'shop.example/hook'),
      'PUSHER_APP_WEBHOOK_URL: webhooks[0].url must be',
    ],
    [
      'events of no webhook',
      () => withVariable('WEBHOOK_EVENTS', 'channel_occupied'),
      'PUSHER_APP_WEBHOOK_URL must be set together with PUSHER_APP_WEBHOOK_EVENTS',
    ],
    [
      'a webhook of an unknown event',
      () => ({
        ...withVariable('WEBHOOK_EVENTS', 'channel_occupied,occupied'),
        PUSHER_APP_WEBHOOK_URL: 'https://shop.example/hook',
      }),
      'PUSHER_APP_WEBHOOK_EVENTS: webhooks[0].events[1] must be one of channel_occupied, ',
    ],
    [
      'a prefix in Redis that would divide its keys otherwise',
      () => ({ REDIS_URL: 'redis://h', REDIS_KEY_PREFIX: '{shop}' }),
      'REDIS_KEY_PREFIX must be a text without { and }, got "{shop}"',
    ],
    [
      'half an instance',
      () => ({ BEAMS_SECRET_KEY: 's' }),
      'BEAMS_INSTANCE_ID and BEAMS_SECRET_KEY must be set together',
    ],
    ['a role that there is not', () => ({ ROLE: 'sender' }), 'ROLE must be all, api, worker, got "sender"'],
    ['such a role in the file', () => file({ role: 'sender' }), 'role must be all, api, worker, got "sender"'],
    [
      'a worker without anything to send',
      () => ({ ROLE: 'worker', PUSHER_APP_ID: '1', PUSHER_APP_KEY: 'k', PUSHER_APP_SECRET: 's' }),
      'ROLE is worker and no push instance is configured',
    ],
    [
      'a worker on a database that no other process sees',
      () => ({
        ROLE: 'api',
        DATABASE_URL: 'sqlite::memory:',
      }),
      'ROLE: processes cannot share sqlite::memory:',
    ],
    ['no workers', () => ({ WORKERS: '0' }), 'WORKERS must be a whole number from 1, or max, got "0"'],
    [
      'a log level that there is not',
      () => ({ LOG_LEVEL: 'loud' }),
      'LOG_LEVEL must be one of error, warn, info, debug',
    ],
    ['half a worker', () => ({ WORKERS: '1.5' }), 'WORKERS must be a whole number from 1, or max, got "1.5"'],
    [
      'workers, each with a database of its own',
      () => ({ WORKERS: '2', DATABASE_URL: 'sqlite::memory:' }),
      'WORKERS: processes cannot share sqlite::memory:, name a file in DATABASE_URL',
    ],
    ['a port that is none', () => ({ PORT: '70000' }), 'PORT must be a number from 0 to 65535, got "70000"'],
    ['such a port of the metrics', () => ({ METRICS_PORT: 'x' }), 'METRICS_PORT must be a number from 0 to 65535'],
    ['one port for both', () => ({ METRICS_PORT: '6001' }), 'METRICS_PORT and PORT must differ'],
    ['a text that is no JSON', () => ({ CONFIG: '{"apps":' }), 'CONFIG cannot be read as JSON'],
    ['a text that is a list', () => ({ CONFIG: '[]' }), 'CONFIG must hold a JSON object'],
    ['a text beside a file', () => ({ ...file({ apps: [] }), CONFIG: '{}' }), 'CONFIG and CONFIG_FILE must not both'],
    ['a file that is not there', () => ({ CONFIG_FILE: join(folder, 'none') }), 'cannot be read as JSON'],
    ['a file that is not JSON', () => file('{'), 'cannot be read as JSON'],
    [
      'a file with a comma too many, and shows nothing of it',
      () => file('{"apps": [{"secret": "a-secret-value",\n }]}'),
      'cannot be read as JSON: Expected double-quoted property name',
    ],
    ['a file with a quote too few', () => file("{'secret': 'a-secret-value'}"), 'cannot be read as JSON: '],
    ['a file with no value', () => file('{"secret":a-secret-value}'), "cannot be read as JSON: Unexpected token 'a'"],
    [
      'an instance whose id is none',
      () => ({ BEAMS_INSTANCE_ID: 'x', BEAMS_SECRET_KEY: 's' }),
      'BEAMS_INSTANCE_ID must be',
    ],
    [
      'a yes that is none',
      () => ({ ALLOW_PRIVATE_NETWORK: '1' }),
      'ALLOW_PRIVATE_NETWORK must be true or false, got "1"',
    ],
    ['a file that is a list', () => file([]), 'must hold a JSON object'],
    [
      'a key that is a number',
      () => file({ apps: [{ ...app, key: 7 }] }),
      'apps[0].key must be a text that is not empty, got number',
    ],
    [
      'an app with a line break behind its id',
      () => file({ apps: [{ ...app, id: `${app.secret}\n` }] }),
      'apps[0].id must have no spaces or line breaks at its ends, got string',
    ],
    [
      'an app with a line break behind its key',
      () => file({ apps: [{ ...app, key: `${app.secret}\n` }] }),
      'apps[0].key must have no spaces or line breaks at its ends, got string',
    ],
    [
      'an app with a line break behind its secret',
      () => file({ apps: [{ ...app, secret: `${app.secret}\n` }] }),
      'apps[0].secret must have no spaces or line breaks at its ends, got string',
    ],
    [
      'a header with a line break, as a secret of Kubernetes ends',
      () => withHeaders({ Authorization: `Bearer ${app.secret}\n` }),
      'apps[0].webhooks[0].headers must have values without line breaks',
    ],
    [
      'a header with a character that cannot be sent',
      () => withHeaders({ 'X-Name': 'Ł' }),
      'apps[0].webhooks[0].headers must have values without line breaks',
    ],
    [
      'a header that the connection sets',
      () => withHeaders({ 'Content-Length': '3' }),
      'apps[0].webhooks[0].headers must have names of letters, digits and -, other than connection, content-length',
    ],
    [
      'a header whose name cannot be sent',
      () => withHeaders({ 'X Name': '3' }),
      'apps[0].webhooks[0].headers must have names of letters, digits and -',
    ],
    [
      'a misspelt setting',
      () => file({ apps: [{ ...app, clientevents: true }] }),
      'apps[0].clientevents is not a setting',
    ],
    [
      'a misspelt setting of webhooks',
      () => file({ channels: { webhooks: { timeout: 3 } } }),
      'channels.webhooks.timeout is not a setting; known are timeoutMs, retryMs',
    ],
    [
      'a limit that is no number',
      () => file({ channels: { limits: { queuedBytes: '1' } } }),
      'channels.limits.queuedBytes must be a whole number',
    ],
    ['apps that stand in the wrong place', () => file({ channels: { apps: [app] } }), 'channels.apps is not a setting'],
    ['an empty list of a misspelt part', () => file({ app: [] }), 'app is not a setting; known are apps'],
    [
      'a misspelt part of the file',
      () => file({ app: [app] }),
      'app is not a setting; known are apps, channels, bypassRouter, instances, devices, publish',
    ],
    [
      'what is a variable of the environment',
      () => file({ publish: { allowPrivateNetwork: true } }),
      'publish.allowPrivateNetwork is not a setting; known are pageSize',
    ],
    [
      'a console whose password is easily guessed, in production',
      () => ({ ...file({ apps: [app] }), NODE_ENV: 'production', CONSOLE_PASSWORD: 'short' }),
      'CONSOLE_PASSWORD must have at least 12 characters in production',
    ],
    [
      'such a password in the file',
      () => ({ ...file({ apps: [app], console: { password: 'short' } }), NODE_ENV: 'production' }),
      'console.password must have at least 12 characters in production',
    ],
    [
      'a console without a way to sign in',
      () => file({ apps: [app], console: {} }),
      'set console.password, or CONSOLE_PASSWORD',
    ],
    [
      'a misspelt setting of the console',
      () => file({ apps: [app], console: { pasword: 'x' } }),
      'console.pasword is not a setting; known are password, hidePayloads, traceBytes',
    ],
    [
      'a misspelt event of a webhook',
      () => file({ apps: [{ ...app, webhooks: [{ url: 'https://example.com', events: ['occupied'] }] }] }),
      'apps[0].webhooks[0].events[0] must be one of channel_occupied, ',
    ],
    [
      'a number of proxies',
      () => ({ TRUST_PROXY: '1' }),
      'TRUST_PROXY must list addresses of proxies or their networks, such as "10.0.0.7, 10.1.0.0/16", or loopback, ' +
        'linklocal, uniquelocal, got "1"',
    ],
    ['a proxy by name', () => ({ TRUST_PROXY: '10.0.0.7, nginx' }), 'got "10.0.0.7, nginx"'],
    ['every address as a proxy', () => ({ TRUST_PROXY: '0.0.0.0/0' }), 'TRUST_PROXY must list addresses of proxies'],
    [
      'an outbound proxy without http://',
      () => ({ HTTPS_PROXY: 'proxy.example:3128' }),
      'HTTPS_PROXY must be the URL of',
    ],
    ['an outbound proxy that is none of HTTP', () => ({ all_proxy: 'socks5://proxy' }), 'ALL_PROXY must be the URL of'],
    ['a Redis that is none', () => ({ REDIS_URL: 'http://localhost' }), 'REDIS_URL must be a URL such as redis://'],
    [
      'a password of Redis with a bare %',
      () => ({ REDIS_URL: `redis://:${app.secret}%ss@host` }),
      'a % of user or password is written as %25',
    ],
    [
      'a lease in Redis that is shorter than two heartbeats',
      () => ({ ...file({ redis: { heartbeatSeconds: 10 } }), REDIS_URL: 'redis://h' }),
      'redis.leaseSeconds must be at least twice heartbeatSeconds, got 15',
    ],
    [
      'data that does not fit into a message',
      () => file({ channels: { limits: { eventDataBytes: 200_000 } } }),
      'channels.limits.messageBytes must be at least 1024 more than eventDataBytes',
    ],
    [
      'a certificate for Redis without its key',
      () => ({ REDIS_URL: 'rediss://h', REDIS_TLS_CERT_FILE: 'a' }),
      'REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE must be set together',
    ],
    [
      'a certificate authority for a Redis without TLS',
      () => ({ REDIS_URL: 'redis://h', REDIS_TLS_CA_FILE: 'a' }),
      'REDIS_URL must begin with rediss://',
    ],
  ])('refuses %s by name, and shows no secret', (_what, environment, text) => {
    let said = '';
    try {
      readConfig(environment());
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain(text);
    expect(said).not.toContain(app.secret);
    expect(said).not.toContain('\n');
  });

  it('reads a file that begins with a byte order mark, as editors on Windows write it', () => {
    expect(readConfig(file(`\ufeff${JSON.stringify({ apps: [app] })}`)).apps).toEqual([app]);
  });

  it('reads variables without the line break of the file that they come from', () => {
    const { id, key, secret } = app;
    const environment = {
      PUSHER_APP_ID: `${id}\n`,
      PUSHER_APP_KEY: `${key}\n`,
      PUSHER_APP_SECRET: ` ${secret}\r\n`,
      CONSOLE_PASSWORD: 'long enough for it\n',
      DATABASE_URL: 'postgres://h/d\n',
      ROLE: 'api\n',
    };
    expect(readConfig(environment)).toMatchObject({
      apps: [{ id, key, secret }],
      console: { password: 'long enough for it' },
      databaseUrl: 'postgres://h/d',
      role: 'api',
    });
  });

  it('reads the prefix, passwords and files of Redis from the environment', () => {
    const environment = {
      REDIS_URL: 'rediss+sentinel://h/name',
      REDIS_KEY_PREFIX: 'shop',
      REDIS_SENTINEL_USERNAME: 'u',
      REDIS_SENTINEL_PASSWORD: 'p',
      REDIS_TLS_CA_FILE: 'ca.pem',
      REDIS_TLS_CERT_FILE: 'cert.pem',
      REDIS_TLS_KEY_FILE: 'key.pem',
    };
    expect(readConfig(environment).redis).toMatchObject({
      keyPrefix: 'shop',
      sentinelUsername: 'u',
      sentinelPassword: 'p',
      tlsCaFile: 'ca.pem',
      tlsCertFile: 'cert.pem',
      tlsKeyFile: 'key.pem',
    });
  });
});
