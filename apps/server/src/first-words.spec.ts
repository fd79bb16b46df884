import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readConfig, type ServerConfig } from './config/config.js';
import { firstWords } from './first-words.js';
import { ServerLogger } from './server-logger.js';

const app = (id: string) => ({ id, key: `key-${id}`, secret: 'hidden' });
const instance = { id: '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d', secretKey: 'hidden' };
const config = { ...readConfig({}), isDevelopment: false, apps: [app('1')], instances: [], console: undefined };
const url = 'http://127.0.0.1:6001';

it.each<[string, Partial<ServerConfig>, string]>([
  ['one app', {}, 'Serving the app 1, key key-1'],
  ['several', { apps: [app('1'), app('2')] }, 'Serving 2 apps: 1, 2'],
  ['many', { apps: [1, 2, 3, 4, 5, 6, 7].map((id) => app(`${id}`)) }, 'Serving 7 apps: 1, 2, 3, 4, 5, …'],
  ['apps and push', { instances: [instance] }, `Serving the app 1, key key-1; the push instance ${instance.id}`],
  [
    'push only',
    { apps: [], instances: [instance] },
    `Serving only the apps in the database; the push instance ${instance.id}`,
  ],
  [
    'the API alone',
    { role: 'api', instances: [instance] },
    `Serving the app 1, key key-1; the push instance ${instance.id}, whose publishes others send`,
  ],
  [
    'a worker',
    { role: 'worker', apps: [], instances: [instance] },
    `Sending the publishes of the push instance ${instance.id}; serving health and metrics alone`,
  ],
  [
    'the development app',
    { ...readConfig({}), console: undefined },
    'Serving the development app, since none is configured: id app-id, key app-key, secret app-secret (publicly known); ' +
      'the trial push instance 11111111-1111-4111-8111-111111111111, secret key instance-secret (publicly known)',
  ],
])('say where the server listens and with which app, and no secret: %s', (_, changes, second) => {
  expect(firstWords(url, { ...config, ...changes }).slice(0, 2)).toEqual([`Listening on ${url}`, second]);
});

it.each(['0.0.0.0', '::'])('say that a server listens on all addresses: %s', (host) => {
  const [listening] = firstWords(url, { ...config, host });
  expect(listening).toBe(`Listening on ${url} and all other addresses of this machine`);
});

it.each<[string, Partial<ServerConfig>, readonly string[]]>([
  ['in development', { console: { development: true } }, [`Console at ${url}/console, for this machine only`]],
  ['with a password', { console: { password: 'hidden' } }, [`Console at ${url}/console, protected by its password`]],
  ['that is off', {}, []],
  ['in a worker, which does not serve it', { console: { password: 'hidden' }, role: 'worker' }, []],
])('say where the console is: %s', (_, changes, said) => {
  const lines = firstWords(url, { ...config, ...changes });
  expect(lines.filter((line) => line.startsWith('Console'))).toEqual(said);
});

const alone = 'On this machine alone: DATABASE_URL=postgres://… or REDIS_URL would connect others';
const [postgres, redis] = [{ databaseUrl: 'postgres://host/database' }, { redis: { url: 'redis://host' } }];
it.each<[string, Partial<ServerConfig>, number | undefined, readonly string[]]>([
  ['alone', {}, undefined, [alone]],
  ['alone on PostgreSQL', postgres, 1, ['In a cluster with all processes on this PostgreSQL: 1 process is alive']],
  ['one of two', postgres, 2, ['In a cluster with all processes on this PostgreSQL: 2 processes are alive']],
  ['on both', { ...postgres, ...redis }, 2, ['In a cluster with all processes on this Redis: 2 processes are alive']],
  ['workers', { ...redis, workers: 2 }, undefined, ['In a cluster with all processes on this Redis']],
  ['one that serves no clients', { ...postgres, role: 'worker' }, undefined, []],
])('say with which processes it shares state: %s', (_, changes, alive, said) => {
  expect(firstWords(url, { ...config, ...changes }, alive).slice(2)).toEqual(said);
});

describe('the log', () => {
  afterEach(() => vi.restoreAllMocks());

  function written(isForPeople: boolean): string {
    let text = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
    const logger = new ServerLogger('info', isForPeople);
    logger.log('The database was restored', 'Storage');
    logger.announce(firstWords(url, config));
    write.mockRestore();
    return text;
  }

  it('is JSON for machines, one line per entry', () => {
    const lines = written(false).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'The database was restored',
      `Listening on ${url}`,
      'Serving the app 1, key key-1',
      alone,
    ]);
  });

  it('is plain lines for people, with the welcome as its own block', () => {
    const lines = written(true).split('\n');
    expect(lines[0]).toContain('The database was restored');
    expect(lines[0]).not.toContain('{');
    expect(lines.slice(1).map((line) => stripVTControlCharacters(line))).toEqual([
      '',
      `  Listening on ${url}`,
      '  Serving the app 1, key key-1',
      `  ${alone}`,
      '',
      '',
    ]);
  });
});
