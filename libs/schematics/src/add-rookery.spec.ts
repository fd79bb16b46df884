import { PassThrough } from 'node:stream';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { addRookery } from './add-rookery.js';
import { ranges } from './additions.js';
import type { AddOptions } from './options.js';
import { ProjectFiles } from './project-files.js';

/** A project in memory. */
class Project extends ProjectFiles {
  readonly root = '/project';
  readonly texts: Map<string, string>;

  constructor(texts: Readonly<Record<string, string>>) {
    super();
    this.texts = new Map(Object.entries(texts));
  }

  read(path: string): string | undefined {
    return this.texts.get(path);
  }

  write(path: string, text: string): void {
    this.texts.set(path, text);
  }

  list(folder: string) {
    const before = folder === '' ? '' : `${folder}/`;
    const within = [...this.texts.keys()]
      .filter((path) => path.startsWith(before))
      .map((path) => path.slice(before.length));
    const folders = within.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/')));
    return { files: within.filter((path) => !path.includes('/')), folders: [...new Set(folders)] };
  }

  add(options: AddOptions = {}, terminal = pipes()) {
    return addRookery(this, options, { terminal, kit: '^1.2.3', typescript: ts });
  }
}

const pipes = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

/** A terminal on which these lines are typed, one for each question. */
function typing(...lines: readonly string[]) {
  const { stdin, stdout } = pipes();
  const left = [...lines];
  stdout.on('data', (text: Buffer) => {
    if (String(text).endsWith('] ')) stdin.write(`${left.shift() ?? ''}\n`);
  });
  return { stdin: Object.assign(stdin, { isTTY: true }), stdout: Object.assign(stdout, { isTTY: true }) };
}

const nest = { '@nestjs/core': '^12.0.1', '@nestjs/platform-express': '^12.0.1' };
const manifest = (
  dependencies: object = nest,
  devDependencies: object = { '@nestjs/testing': '^12.0.1', vitest: '^4.0.0' },
) => JSON.stringify({ type: 'module', dependencies, devDependencies }, undefined, 2);

const module = `import { Module } from '@nestjs/common';
import { AppService } from './app.service.js';

@Module({
  imports: [],
  providers: [AppService],
})
export class AppModule {}
`;

const fresh = (changes: Readonly<Record<string, string>> = {}): Project =>
  new Project({ 'package.json': manifest(), 'src/app.module.ts': module, ...changes });

/** All files, in an order that does not depend on who wrote them. */
const snapshot = ({ texts }: Project) => [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Types need the packages, which test/package installs. */
function checkSyntax(project: Project): void {
  const faults = sourcesOf(project).flatMap(([path, text]) => {
    const { diagnostics = [] } = ts.transpileModule(text, { fileName: path, reportDiagnostics: true });
    return diagnostics.map(({ messageText }) => ({ path, fault: messageText }));
  });
  expect(faults).toEqual([]);
}

const sourcesOf = ({ texts }: Project) => [...texts].filter(([path]) => path.endsWith('.ts'));

const combinations = [true, false].flatMap((push) =>
  (['none', 'sqlite', 'postgres'] as const).flatMap((database) =>
    [true, false].map((redis) => ({ push, database, redis })),
  ),
);

describe('an application', () => {
  it('gets channels, their configuration, an authorizer and its test', async () => {
    const project = fresh();
    const { written, needsInstall } = await project.add();
    expect(written.toSorted()).toEqual([
      '.env',
      'package.json',
      'src/app.module.ts',
      'src/rookery/channel-access.spec.ts',
      'src/rookery/channel-access.ts',
      'src/rookery/rookery.config.ts',
    ]);
    expect(needsInstall).toBe(true);
    expect(JSON.parse(project.read('package.json')!)).toMatchObject({ dependencies: { rookery: '^1.2.3' } });
    expect(project.read('.env')).toMatch(
      /^# Rookery\nPUSHER_APP_ID=\d{6,7}\nPUSHER_APP_KEY=[\da-f]{20}\nPUSHER_APP_SECRET=[\da-f]{64}\n$/,
    );
    expect(project.read('src/app.module.ts')).toContain(`
@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [channelsApp] }),
    AuthorizationModule.forRoot(),
  ],
  providers: [AppService, ChannelAccess],
})`);
  });

  it.each(combinations)('with %o is not changed by a second run', async (features) => {
    const project = fresh({ '.gitignore': 'dist\n' });
    await project.add(features);
    checkSyntax(project);
    const before = snapshot(project);
    const { written, notes, needsInstall } = await project.add(features);
    expect({ written, needsInstall }).toEqual({ written: [], needsInstall: false });
    expect(notes).toEqual(['Everything is there already: nothing was changed.']);
    expect(snapshot(project)).toEqual(before);
  });

  it('keeps what a developer changed', async () => {
    const project = fresh();
    await project.add();
    project.write('src/rookery/channel-access.ts', '// mine');
    project.write('.env', 'PUSHER_APP_ID=mine\nPUSHER_APP_KEY=mine\n  export PUSHER_APP_SECRET=mine\n');
    await project.add();
    expect(project.read('src/rookery/channel-access.ts')).toBe('// mine');
    expect(project.read('.env')).not.toContain('# Rookery');
  });

  it('that has channels gets push and a database later, and learns what to write itself', async () => {
    const project = fresh();
    await project.add();
    const { notes } = await project.add({ push: true, database: 'sqlite' });
    const config = project.read('src/rookery/rookery.config.ts')!;
    expect(config.match(/export const \w+/g)).toEqual([
      'export const channelsApp',
      'export const databaseUrl',
      'export const beamsInstance',
    ]);
    expect(config.match(/function variable/g)).toHaveLength(1);
    expect(project.read('.env')!.match(/^\w+(?==)/gm)).toEqual([
      'PUSHER_APP_ID',
      'PUSHER_APP_KEY',
      'PUSHER_APP_SECRET',
      'ROOKERY_DATABASE_URL',
      'BEAMS_INSTANCE_ID',
      'BEAMS_SECRET_KEY',
    ]);
    expect(notes).toContain('src/app.module.ts has ChannelsModule already: add ...durableEvents to its options.');
    checkSyntax(project);
  });

  it('is written in the style of its module', async () => {
    const project = fresh({ 'src/app.module.ts': module.replaceAll(`'`, '"').replace('.service.js', '.service') });
    await project.add({ push: true, database: 'postgres' });
    expect(sourcesOf(project).filter(([, text]) => text.includes(`'`))).toEqual([]);
    expect(project.read('src/app.module.ts')).toContain(`from "./rookery/channel-access";`);
    checkSyntax(project);
  });

  it.each([
    ['SQLite', { database: 'sqlite' }, ['TypeOrmStorageModule', '...durableEvents'], ['typeorm']],
    ['PostgreSQL', { database: 'postgres' }, ['PostgresClusterModule.forRoot()'], ['typeorm', 'pg']],
    ['Redis', { redis: true }, ['RedisModule.forRoot({ url: redisUrl })'], ['ioredis']],
  ] as const)('on %s has its modules and packages', async (_, features, modules, packages) => {
    const project = fresh();
    await project.add(features);
    for (const each of modules) expect(project.read('src/app.module.ts')).toContain(each);
    const { dependencies } = JSON.parse(project.read('package.json')!) as { dependencies: object };
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...packages, 'rookery', '@nestjs/core']));
    expect(Object.keys(dependencies)).toEqual(Object.keys(dependencies).toSorted());
  });

  it('with push alone has no authorizer, which needs channels', async () => {
    const project = fresh();
    const { written } = await project.add({ channels: false, push: true });
    expect(written.filter((path) => path.includes('channel-access'))).toEqual([]);
    expect(project.read('src/app.module.ts')).not.toMatch(/Channels|Authorization/);
  });

  it('with push has a test of it, alone or beside channels', async () => {
    for (const channels of [true, false]) {
      const project = fresh();
      const { written } = await project.add({ channels, push: true });
      expect(written.includes('src/rookery/channel-access.spec.ts')).toBe(channels);
      expect(project.read('src/rookery/push.spec.ts')).toContain(`from 'vitest'`);
      checkSyntax(project);
    }
  });

  it('on Fastify and Jest has a test for them', async () => {
    const onFastify = { '@nestjs/core': '^11.0.0', '@nestjs/platform-fastify': '^11.0.0' };
    const project = fresh({ 'package.json': manifest(onFastify, { '@nestjs/testing': '^11.0.0', jest: '^30.0.0' }) });
    await project.add();
    expect(project.read('src/rookery/channel-access.spec.ts')).toContain('new FastifyAdapter()');
    expect(project.read('src/rookery/channel-access.spec.ts')).not.toContain('vitest');
  });

  it('without a known test runner has no test, and says so', async () => {
    const project = fresh({ 'package.json': manifest(nest, {}) });
    for (const features of [{}, { channels: false, push: true }]) {
      const { written, notes } = await project.add(features);
      expect(written.filter((path) => path.includes('spec'))).toEqual([]);
      expect(notes).toContain('No test was written: it needs @nestjs/testing, and Jest or Vitest.');
    }
  });

  it('below apps/ in a workspace is found, and its package.json and .env are those of the root', async () => {
    const project = new Project({
      'package.json': manifest(),
      'node_modules/other/src/app.module.ts': module,
      'apps/shop/src/app/app.module.ts': module.replace('.service.js', '.service'),
    });
    const { written } = await project.add({ sourceRoot: 'src' });
    expect(written).toEqual(expect.arrayContaining(['.env', 'apps/shop/src/app/rookery/rookery.config.ts']));
  });

  it('keeps secrets out of the repository', async () => {
    const project = fresh({ '.gitignore': 'node_modules\n' });
    await project.add();
    expect(project.read('.gitignore')).toBe('node_modules\n\n.env\n');
  });
});

describe('questions', () => {
  it('are asked on a terminal, again after an answer that cannot be', async () => {
    const project = fresh();
    await project.add({}, typing('', 'perhaps', 'y', 'oracle', 'sqlite', 'n'));
    expect(project.read('.env')!.match(/^\w+(?==)/gm)).toEqual(
      expect.arrayContaining(['PUSHER_APP_ID', 'BEAMS_INSTANCE_ID', 'ROOKERY_DATABASE_URL']),
    );
    expect(project.read('.env')).toContain('=sqlite:data/rookery.db\n');
    expect(project.read('src/app.module.ts')).toContain('PushDeviceModule.forRoot');
    expect(project.read('src/app.module.ts')).not.toContain('RedisModule');
  });

  it('are only about what no flag answers', async () => {
    const project = fresh();
    await project.add({ channels: true, push: false, redis: false }, typing('postgres'));
    expect(project.read('package.json')).toContain('"pg"');
  });

  it('are not asked with --yes', async () => {
    const terminal = typing();
    await fresh().add({ yes: true }, terminal);
    expect(terminal.stdout.readableLength).toBe(0);
  });
});

describe('a project that cannot be edited stays as it is, and the error says what to do', () => {
  const other = `import { ChannelsModule } from 'rookery/channels';\nexport const all = [ChannelsModule.forRoot({ apps })];\n`;
  const states: readonly (readonly [string, Project, AddOptions, string])[] = [
    ['no package.json', new Project({}), {}, '/project has no package.json'],
    ['no Nest', fresh({ 'package.json': '{}' }), {}, 'package.json has no @nestjs/core'],
    ['broken JSON', fresh({ 'package.json': '{' }), {}, 'package.json is not valid JSON'],
    ['an old Nest', fresh({ 'package.json': manifest({ '@nestjs/core': '^10.4.0' }) }), {}, 'needs Nest 11 or 12'],
    ['no root module', new Project({ 'package.json': manifest() }), {}, 'has no app.module.ts: name the file'],
    [
      'JavaScript',
      new Project({ 'package.json': manifest(), 'src/app.module.js': '' }),
      {},
      'only TypeScript is edited',
    ],
    [
      'two applications',
      new Project({ 'package.json': manifest(), 'apps/a/app.module.ts': module, 'apps/b/app.module.ts': module }),
      {},
      'pass --module=apps/a/app.module.ts or --module=apps/b/app.module.ts',
    ],
    ['a file that is not there', fresh(), { module: './src/root.ts' }, '--module=src/root.ts does not exist'],
    ['broken TypeScript', fresh({ 'src/app.module.ts': `${module}}` }), {}, 'is not valid TypeScript'],
    [
      'a module in another file',
      fresh({ 'src/realtime.module.ts': other }),
      {},
      'src/realtime.module.ts has ChannelsModule.forRoot already',
    ],
    ['nothing to add', fresh(), { channels: false }, 'Nothing to add: pass --channels or --push'],
    ['Redis without channels', fresh(), { channels: false, push: true, redis: true }, '--redis is for channels'],
    ['an unknown database', fresh(), { database: 'oracle' as 'none' }, 'use none, sqlite, postgres'],
  ];
  it.each(states)('%s', async (_, project, options, fault) => {
    const before = snapshot(project);
    await expect(project.add(options)).rejects.toThrow(fault);
    expect(snapshot(project)).toEqual(before);
  });

  it('accepts ranges without a number, such as those of workspaces', async () => {
    const project = fresh({ 'package.json': manifest({ '@nestjs/core': 'workspace:*' }) });
    expect((await project.add()).written).toContain('src/app.module.ts');
  });
});

it('asks for packages in ranges of the kit', () => {
  const kit = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  for (const [name, range] of Object.entries(ranges))
    expect(kit.peerDependencies[name]!.split(' || '), name).toContain(range);
});
