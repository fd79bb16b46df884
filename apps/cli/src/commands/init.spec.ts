import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../../server/src/config/config.js';
import { questions } from '../asking.js';
import { run } from '../run.js';
import { configurationBy } from './init.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-init-'));
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** A terminal on which these lines are typed, one for each question. */
function terminalWith(lines: readonly string[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const left = [...lines];
  let told = '';
  stdout.on('data', (text: Buffer) => {
    told += String(text);
    if (String(text).endsWith(']: ')) stdin.write(`${left.shift() ?? ''}\n`);
  });
  return {
    terminal: {
      stdin: Object.assign(stdin, { isTTY: true }),
      stdout: Object.assign(stdout, { isTTY: true }),
    },
    told: () => told,
  };
}

it('writes a file that the server accepts, without questions', async () => {
  const file = join(folder, 'rookery.json');
  expect(await run(['init', file, '--yes'])).toBe(0);
  const { apps, console: settings, instances } = readConfig({ CONFIG_FILE: file, NODE_ENV: 'production' });
  expect(apps).toMatchObject([{ key: expect.stringMatching(/^[0-9a-f]{20}$/) }]);
  expect(apps[0]).not.toHaveProperty('clientEvents');
  expect(settings).toMatchObject({ password: expect.stringMatching(/^.{16}$/) });
  expect(instances).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('never overwrites a file', async () => {
  const file = join(folder, 'mine.json');
  writeFileSync(file, 'mine');
  expect(await run(['init', file, '--yes'])).toBe(2);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

it('asks for --yes where there is no terminal', () => {
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough() };
  expect(() => questions(false, pipes)).toThrow('pass --yes');
  expect(existsSync(join(folder, 'rookery.json'))).toBe(false);
});

it('writes what was answered, and asks again after an answer that cannot be', async () => {
  const { terminal, told } = terminalWith([
    'my shop',
    'shop',
    'https://a.example, b.example',
    'y',
    'perhaps',
    'y',
    'y',
    'n',
  ]);
  const written = await configurationBy(questions(false, terminal));
  expect(told()).toContain('Use 1 to 64 letters, digits, - or _.');
  expect(told()).toContain('Answer y or n.');
  expect(written).toMatchObject({
    apps: [
      {
        id: 'shop',
        clientEvents: true,
        allowedOrigins: ['https://a.example', 'b.example'],
        history: [{ channels: '*' }],
      },
    ],
    instances: [{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
  });
  expect(written).not.toHaveProperty('console');
  const file = join(folder, 'answered.json');
  writeFileSync(file, JSON.stringify(written));
  expect(readConfig({ CONFIG_FILE: file, NODE_ENV: 'production' }).apps).toMatchObject([{ id: 'shop' }]);
});
