import { afterEach, expect, it, vi } from 'vitest';
import { commands } from './commands/index.js';
import { run } from './run.js';

let stdout = '';
let stderr = '';

/** Runs a command line in this process. */
async function running(...args: readonly string[]): Promise<number> {
  [stdout, stderr] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
  try {
    return await run(args);
  } finally {
    vi.restoreAllMocks();
  }
}
afterEach(() => vi.restoreAllMocks());

it.each<[readonly string[], RegExp]>([
  [['help', 'tigger'], /^rookery: unknown command 'tigger'\n\(Did you mean trigger\?\)\nSee: rookery --help\n$/],
  [['tigger'], /^rookery: unknown command 'tigger'\n\(Did you mean trigger\?\)\nSee: rookery --help\n$/],
  [
    ['trigger', 'a', 'b', '--apps', '1'],
    /^rookery: unknown option '--apps'\n\(Did you mean --app\?\)\nSee: rookery trigger --help\n$/,
  ],
  [['trigger'], /^rookery: missing required argument 'channels'\nSee: rookery trigger --help\n$/],
  [['trigger', 'a', 'b', 'c', 'd'], /^rookery: too many arguments/],
  [
    ['channels', '--url', 'localhost'],
    /It must be a URL such as https:\/\/push.example.com\nSee: rookery channels --help\n$/,
  ],
  [['subscribe', 'a', '-n', '0'], /It must be a whole number from 1\nSee: rookery subscribe --help\n$/],
  [['users'], /Usage: rookery users/],
  [['devices'], /^rookery: Which devices\? .*\nSee: rookery devices --help\n$/],
  [
    ['apps', 'remove', 'shop'],
    /^rookery: Removing app shop cannot be undone: pass --yes .*\nSee: rookery apps remove --help\n$/,
  ],
])('prints its usage for a wrong call: %j', async (args, line) => {
  expect(await running(...args)).toBe(2);
  expect([stdout, stderr]).toEqual(['', expect.stringMatching(line)]);
});

it('prints an overview, and an example of each command', async () => {
  expect(await running('--help')).toBe(0);
  for (const command of commands()) {
    expect(stdout).toContain(command.summary());
    expect(await running(command.name(), '--help')).toBe(0);
    const own = stdout;
    expect(own).toMatch(command.commands.length === 0 ? /Examples:\n {2}\$ / : /Commands:\n/);
    for (const each of command.commands) {
      expect(await running(command.name(), each.name(), '--help')).toBe(0);
      expect(stdout).toMatch(/Examples:\n {2}\$ /);
    }
    await running('--help');
  }
});

it('prints the help of a command that is asked for by name', async () => {
  expect(await running('help', 'trigger')).toBe(0);
  expect(stdout).toMatch(/^Usage: rookery trigger /);
  expect(await running('help')).toBe(0);
  expect(stdout).toMatch(/^Usage: rookery \[command\]/);
});

it('prints its version', async () => {
  expect(await running('-V')).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
