import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('in a Nest application', () => {
  const module = `import { Module } from '@nestjs/common';\n@Module({ imports: [] })\nexport class AppModule {}\n`;
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  let printed: string[];

  beforeEach(() => {
    printed = [];
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    for (const stream of [process.stdout, process.stderr])
      vi.mocked(stream.write).mockImplementation((text) => printed.push(String(text)) > 0);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(
      join(import.meta.dirname, '../../../../node_modules/typescript'),
      join(folder, 'node_modules/typescript'),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { '@nestjs/core': '^12.0.0' } }));
    writeFileSync(join(folder, 'app.module.ts'), module);
  });

  it('adds the modules, and nothing more in a second run', async () => {
    expect(await run(['init', '--database', 'sqlite', '--yes'])).toBe(0);
    expect(read('app.module.ts')).toContain('ChannelsModule.forRoot({');
    expect(read('.env')).toContain('ROOKERY_DATABASE_URL=sqlite:data/rookery.db\n');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(read('package.json'))).toMatchObject({
      dependencies: { rookery: expect.stringMatching(/^\^\d+\.\d+\.\d+$/), typeorm: expect.any(String) },
    });
    expect(printed.join('')).toContain('Wrote app.module.ts\n');
    expect(printed.join('')).toContain('run npm install');
    const before = ['app.module.ts', '.env', 'package.json'].map(read);
    printed.length = 0;
    expect(await run(['init', '--database', 'sqlite', '--yes'])).toBe(0);
    expect(printed).toEqual(['Everything is there already: nothing was changed.\n']);
    expect(['app.module.ts', '.env', 'package.json'].map(read)).toEqual(before);
  });

  it('takes the defaults where there is no terminal', async () => {
    expect(await run(['init', '--no-channels', '--push'])).toBe(0);
    expect(read('app.module.ts')).toContain('PublishModule.forRoot()');
    expect(read('app.module.ts')).not.toContain('ChannelsModule');
  });

  it('writes a configuration file if one is named', async () => {
    expect(await run(['init', join(folder, 'shop.json'), '--yes'])).toBe(0);
    expect(read('app.module.ts')).toBe(module);
    expect(await run(['init', join(folder, 'other.json'), '--push'])).toBe(2);
    expect(printed.join('')).toContain('leave it out for Nest');
  });

  it('says in a line why an application cannot be edited', async () => {
    rmSync(join(folder, 'app.module.ts'));
    expect(await run(['init', '--yes'])).toBe(2);
    expect(printed.join('')).toContain('has no app.module.ts: name the file of your root module');
    rmSync(join(folder, 'package.json'));
    expect(await run(['init', '--push'])).toBe(2);
    expect(printed.join('')).toContain('has no package.json: run this in the folder of a Nest application');
  });
});
