import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RunningCommand } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type Typed, typed } from '../support/typed-command.js';

vi.setConfig({ testTimeout: 120_000 });

let server: ServerProcess;
let environment: Readonly<Record<string, string>>;
const running: RunningCommand[] = [];

beforeAll(async () => {
  await buildServer();
  environment = {
    PORT: `${await freePort()}`,
    DATABASE_URL: 'sqlite::memory:',
    CONSOLE_PASSWORD: 'only for this test',
  };
  server = await ServerProcess.start(environment);
}, 240_000);
afterAll(() => server?.stop());
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

/** Runs a command within this process. */
function type(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Typed> {
  for (const [name, value] of Object.entries({ ...environment, ...variables })) vi.stubEnv(name, value);
  return typed(args);
}

function logs(...args: readonly string[]): RunningCommand {
  const started = RunningCommand.start(['logs', ...args], environment);
  running.push(started);
  return started;
}
const trigger = async (channel: string, event: string): Promise<void> =>
  expect(await type(['trigger', channel, event, '{"n":1}'])).toMatchObject({ code: 0 });

it('follows what happens, also before it was called, each once, and again after a restart of the server', async () => {
  await trigger('news', 'early');
  const [reader, script] = [logs(), logs('--json', '--kinds', 'event', '--channel', 'news')];
  for (const each of [reader, script]) await each.says('early');
  await trigger('sport', 'elsewhere');
  await trigger('news', 'headline');
  for (const each of [reader, script]) await each.says('headline');
  expect(reader.stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}event {9} {2}news {2}headline {2}\{"n":1\} {2}\S+@news\n/m);
  expect(reader.stdout).not.toContain('\u001b');
  expect(reader.stdout).toContain('elsewhere');

  await server.stop();
  for (const each of [reader, script]) await each.says('The connection was lost');
  server = await ServerProcess.start(environment);
  for (const each of [reader, script]) await each.says('Connected again');
  await trigger('news', 'late');
  for (const each of [reader, script]) await each.says('late');
  const events = script.lines.map((line) => JSON.parse(line) as { kind: string; name: string });
  expect(events.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['event early', 'event headline', 'event late']);

  for (const each of [reader, script]) {
    each.interrupt();
    expect(await each.exit()).toBe(0);
  }
  expect(reader.stderr).not.toContain('rookery:');
});

it('notices a server that is silent, and goes on with it', async () => {
  const reader = logs('--json', '--kinds', 'event');
  await trigger('news', 'once');
  await reader.says('once');
  server.signal('SIGSTOP');
  await reader.says('The connection was lost (The server has sent nothing for 10 seconds)');
  server.signal('SIGCONT');
  await reader.says('Connected again');
});

it.each([
  [['--kinds', 'nonsense'], {}, 1, /answers 400: kinds must be some of connected, /],
  [['--app', 'nothing'], {}, 2, /--app nothing is not configured: there are app-id/],
  [[], { CONSOLE_PASSWORD: 'wrong' }, 1, /answers 401: the password of the console is missing or wrong: pass it by /],
  [['--url', 'http://127.0.0.1:2'], {}, 1, /does not answer: connect ECONNREFUSED .*Set its URL with --url/],
] as const)('ends at once, and says why: %j %j', async (args, other, code, line) => {
  const ended = await type(['logs', ...args], other);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(line) as string });
  // Wrong use is followed by the command's help.
  expect(ended.stderr.trim().split('\n')).toHaveLength(code);
});
