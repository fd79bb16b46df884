import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readOptions } from '../../bench/options.mjs';
import { proxyOf } from '#common';
import { type DocBlock, docBlocks } from '../support/doc-blocks.js';
import { freePort } from '../support/free-port.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { describeInstalled } from '../support/programs.js';
import { buildConformance, buildServer } from '../support/server-process.js';
import { ReadersFolder } from '../support/terminal.js';
import { describeNode, itNode } from '../support/services.js';

// The commands of the pages, typed as they stand there.

// Each line is a process or several, and npx takes its time.
vi.setConfig({ testTimeout: 240_000 });

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const blocks = docBlocks(root);

/** Its lines without what they say of themselves. */
const linesOf = ({ code }: DocBlock): string[] =>
  code
    .split('\n')
    .map((line) => line.replace(/(^| +)#.*$/, '').trim())
    .filter((line) => line !== '');

/** A block of a page, by its first words. */
function block(page: string, beginning: string, language = 'sh'): DocBlock {
  const found = blocks.filter((each) => each.page === page && each.language === language);
  const [only, ...others] = found.filter(({ code }) => code.startsWith(beginning));
  if (!only || others.length > 0) throw new Error(`${page} has not one block that begins with ${beginning}`);
  stories.add(only.place);
  return only;
}

/** The blocks that a test here is about. */
const stories = new Set<string>();

// The README's are for a clone: test/package/clone.spec.ts types them in one.
block('README.md', 'npm ci && npm start');
const firstLines = block('docs/index.md', 'npm ci && npm start');
const production = ['README.md', 'docs/server.md'].map((page) => block(page, 'openssl rand'));
const plainStart = block('docs/command-line.md', 'npx rookery\n');
const apps = block('docs/apps.md', 'export CONSOLE_PASSWORD');
const fromSoketi = block('docs/migrating.md', 'npx rookery migrate-from soketi');
const fromReverb = block('docs/migrating.md', 'npx rookery migrate-from reverb');
const vapid = block('docs/push.md', 'npx rookery keys vapid');
const importing = block('docs/push.md', 'npx rookery import');
const device = block('docs/push.md', '{\n  "platform"', 'json');
const signedPost = block('docs/http-api.md', 'url=');
const signedGet = block('docs/http-api.md', 'path=');
const signedSubscription = block('docs/http-api.md', 'printf');
const publishing = block('docs/http-api.md', 'curl');
const bench = block('docs/performance.md', 'npm run bench');
const jitter = block('docs/delivery.md', 'npm run bench -- --only jitter');
const judging = block('docs/conformance.md', 'npx rookery conformance');
const packing = block('docs/server.md', 'npm ci && npm pack');
const serving = block('apps/server/README.md', 'npm install ./rookery-server');
const judgingAlone = block('apps/conformance/README.md', 'npm install ./rookery-conformance');
const developing = [block('README.md', 'npm ci && npm test'), block('CONTRIBUTING.md', 'npm ci')];
const installing = [
  block('docs/embedding.md', 'npm install ./rookery'),
  block('docs/embedding.md', 'npx nest add rookery'),
  block('docs/hooks.md', 'npm install ./rookery-client'),
  block('libs/sdk/README.md', 'npm install ./rookery-client'),
  block('libs/console/README.md', 'npm install ./rookery-console'),
  block('libs/testing/README.md', 'npm install --save-dev ./rookery-testing'),
];
const backup = block('docs/storage.md', 'npx rookery backup');
const restoring = block('docs/storage.md', 'npx rookery restore');
// Its files are run by private-channel.spec.ts.
for (const beginning of ['npx rookery ', 'node server.mjs']) block('docs/private-channel.md', beginning);
// Given to the programs by three-machines.spec.ts.
for (const beginning of ['apt-get', 'systemctl restart', 'npm install', 'chmod', 'ln -s', 'npx rookery doctor'])
  block('docs/three-machines.md', beginning);
// Their calls are read by command-line.spec.ts; stories of each command are in test/commands.
for (const { page, place } of blocks) if (page === 'docs/command-line.md') stories.add(place);
const units = block('docs/operating.md', 'cp node_modules/@rookery/server/ops/systemd');
const proxied = block('docs/operating.md', 'HTTPS_PROXY');

it('covers all blocks of commands', () => {
  const all = blocks.filter(({ language }) => language === 'sh').map(({ place }) => place);
  expect(all.filter((place) => !stories.has(place))).toEqual([]);
});

it('copies packed units, and starts them', () => {
  const [copy, ...others] = linesOf(units);
  const { files } = JSON.parse(read('apps/server/package.json')) as { files: readonly string[] };
  expect([copy, files]).toEqual([
    'cp node_modules/@rookery/server/ops/systemd/rookery.* /etc/systemd/system/',
    expect.arrayContaining(['ops']),
  ]);
  const copied = readdirSync(join(root, 'ops/systemd'));
  const started = others.flatMap((line) => line.match(/rookery\.\w+/g) ?? []);
  expect([...new Set(started)].toSorted()).toEqual(copied.toSorted());
});

beforeAll(async () => {
  await buildServer();
  await buildConformance();
}, 180_000);

/** Lends a reader's folder to a story, and ends what was started in it. Stories share nothing, so they run at the same time. */
async function reading(story: (reader: ReadersFolder, port: number) => Promise<void>): Promise<void> {
  const port = await freePort();
  // The pages have the default port; another server may have it here.
  const reader = new ReadersFolder({ PORT: `${port}` });
  try {
    await story(reader, port);
  } finally {
    await reader.close();
  }
}

describeNode.concurrent('the first two minutes', () => {
  it(`show in a second terminal what a third one triggers (${firstLines.place})`, () =>
    reading(async (reader, port) => {
      const [, subscribe = '', trigger = ''] = linesOf(firstLines);
      // In place of the clone, the reader's folder has the package.
      await reader.start('npx rookery').says(`http://127.0.0.1:${port}`);
      const second = reader.start(subscribe);
      await second.says('Subscribed to my-channel');
      expect(await reader.run(trigger)).toMatchObject({ code: 0, stderr: '' });
      await second.says('my-event');
      await second.says('{"hello":"world"}');
    }));

  it(`begin without a clone, too (${serving.place})`, () =>
    reading(async (reader, port) => {
      reader.install('@rookery/server', 'apps/server');
      // test/package installs the packed file.
      const [install, serve = ''] = linesOf(serving);
      expect(linesOf(packing).slice(1)).toEqual([install, serve]);
      await reader.start(serve).says(`http://127.0.0.1:${port}`);
    }));

  it(`start a server that can be looked at (${plainStart.place})`, () =>
    reading(async (reader, port) => {
      await reader.start(linesOf(plainStart)[0]!).says(`http://127.0.0.1:${port}`);
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      expect(await answer.text()).toContain('Rookery');
    }));
});

describeInstalled('openssl').concurrent('with a secret of openssl', () => {
  it.each(production)('starts a server in production with the app of the line ($place)', (page) =>
    reading(async (reader, port) => {
      await reader.start(linesOf(page).join('\n')).says('Listening on');
      const credentials = '--app 1 --key key --secret "$(cat secret)"';
      const sent = await reader.run(`rookery trigger c e '{}' --url http://127.0.0.1:${port} ${credentials}`);
      expect(sent).toMatchObject({ code: 0, stderr: '' });
    }),
  );
});

describeInstalled('curl')('the HTTP APIs', () => {
  describeInstalled('openssl').concurrent('in a shell', () => {
    it(`take signed requests (${signedPost.place}, ${signedGet.place})`, () =>
      reading(async (reader, port) => {
        await reader.start('rookery').says(`http://127.0.0.1:${port}`);
        const subscriber = reader.start('rookery subscribe my-channel');
        await subscriber.says('Subscribed to my-channel');
        const post = signedPost.code.replace(':6001', `:${port}`);
        expect(await reader.run(post)).toMatchObject({ code: 0, stdout: '{}' });
        await subscriber.says('{"hello":"world"}');
        expect(await reader.run(post.replace('app-secret', 'wrong'))).toMatchObject({
          stdout: expect.stringContaining('POST\\n/apps/app-id/events\\nauth_key=app-key&auth_timestamp='),
        });
        expect(await reader.run(`${post}\n${signedGet.code}`)).toMatchObject({ code: 0, stdout: '{}{"channels":{}}' });
      }));

    it(`take a publish (${publishing.place})`, () =>
      reading(async (reader, port) => {
        await reader.start('rookery').says(`http://127.0.0.1:${port}`);
        const { stdout } = await reader.run(publishing.code.replace(':6001', `:${port}`));
        expect(stdout).toMatch(/^{"publishId":"pubid-[\w-]+"}$/);
      }));

    it(`have the token of a subscription that the page shows (${signedSubscription.place})`, () =>
      reading(async (reader) => {
        const { stdout } = await reader.run(signedSubscription.code);
        expect(read('docs/http-api.md')).toContain(`It is \`${stdout.trim()}\``);
      }));
  });
});

itNode.concurrent(`apps are made and changed while the server runs (${apps.place})`, () =>
  reading(async (reader, port) => {
    const [exported = '', create = '', ...others] = linesOf(apps);
    await reader.start(`${exported}; rookery`).says(`http://127.0.0.1:${port}`);
    const typed = async (line: string): Promise<string> => {
      const { code, stdout, stderr } = await reader.run(`${exported}; ${line}`);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
      return stdout;
    };
    const made = JSON.parse(await typed(create)) as { id: string; key: string; secret: string };
    expect(made).toMatchObject({ id: 'shop' });
    for (const line of others) await typed(line);
    const listed = JSON.parse(await typed('rookery apps list --json')) as { id: string }[];
    expect(listed.find(({ id }) => id === 'shop')).toMatchObject({
      enabled: false,
      clientEvents: true,
      maxConnections: 500,
      webhooks: [{ url: 'https://example.com/hook' }],
    });
  }),
);

itNode.concurrent(`a server is judged (${judging.place})`, () =>
  reading(async (reader, port) => {
    const [own = '', other = '', list = '', forCi = ''] = linesOf(judging);
    await reader.start('rookery').says(`http://127.0.0.1:${port}`);
    const ended = await reader.run(own);
    expect({ ...ended, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ended.stdout).toMatch(/^all +\d{2,} +0 +0 +0 +\d+$/m);
    // The server knows no such app.
    const named = await reader.run(
      other.replace(/:\d+ /, `:${port} `).replace('conformance', 'conformance --only users/'),
    );
    expect(named).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/knows no app 1|of app 1: 40/) });
    expect((await reader.run(list)).stdout).toMatch(/^case +profile +promise +source\n/);
    await reader.run(forCi);
    expect(readFileSync(join(reader.path, 'report.xml'), 'utf8')).toContain('<testsuite name="rookery conformance"');
  }),
);

itNode.concurrent(`a server is judged by the suite's own package (${judgingAlone.place})`, () =>
  reading(async (reader, port) => {
    reader.install('@rookery/conformance', 'apps/conformance');
    await reader.start('rookery').says(`http://127.0.0.1:${port}`);
    const [, line = ''] = linesOf(judgingAlone);
    const own = line.replace(':8080', `:${port}`).replace('--app 1 --key k --secret s', '--only client-events/');
    const app = 'PUSHER_APP_ID=app-id PUSHER_APP_KEY=app-key PUSHER_APP_SECRET=app-secret';
    const ended = await reader.run(`${app} ${own}`);
    expect({ ...ended, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ended.stdout).toMatch(/^all +[1-9]\d* +0 +0 +0 +0$/m);
    // The server knows no such app.
    expect(await reader.run(line.replace(':8080', `:${port}`))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/knows no app 1|of app 1: 40/),
    });
    const wrong = await reader.run('npx rookery-conformance --only nothing');
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No case has an id that begins with nothing'),
    });
    expect(await reader.run(line.replace(/--app .*/, ''))).toMatchObject({ code: 2 });
  }),
);

describeNode.concurrent('moving from another server', () => {
  it(`takes the apps of soketi along (${fromSoketi.place})`, () =>
    reading(async (reader) => {
      const app = { id: 'soketi-app', key: 'soketi-key', secret: 'soketi-secret', enableClientMessages: true };
      reader.write('config.json', JSON.stringify({ appManager: { array: { apps: [app] } } }));
      await expectServed(reader, fromSoketi, 'soketi-app');
    }));

  it(`takes the apps of Reverb along (${fromReverb.place})`, () =>
    reading(async (reader) => {
      reader.write('.env', 'REVERB_APP_ID=reverb-app\nREVERB_APP_KEY=reverb-key\nREVERB_APP_SECRET=reverb-secret\n');
      const own = { ...fromReverb, code: fromReverb.code.replace('PORT=8080', `PORT=${await freePort()}`) };
      await expectServed(reader, own, 'reverb-app');
    }));

  async function expectServed(reader: ReadersFolder, page: DocBlock, app: string): Promise<void> {
    const [migrate = '', serve = ''] = linesOf(page);
    expect((await reader.run(migrate)).code).toBe(0);
    const server = reader.start(serve);
    await server.says('Listening on');
    await server.says(app);
  }
});

itNode.concurrent(`a VAPID pair comes as the configuration takes it (${vapid.place})`, () =>
  reading(async (reader) => {
    const { code, stdout } = await reader.run(linesOf(vapid)[0]!);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      vapidPublicKey: expect.stringMatching(/^[\w-]{87}$/),
      vapidPrivateKey: expect.stringMatching(/^[\w-]{43}$/),
      subject: expect.stringMatching(/^mailto:/),
    });
  }),
);

itNode.concurrent(`a backup is made, and restored (${backup.place}, ${restoring.place})`, () =>
  reading(async (reader) => {
    expect((await reader.run('npx rookery migrate')).stdout).toContain('applied');
    for (const line of [...linesOf(backup), ...linesOf(restoring)]) {
      const ended = await reader.run(line.replaceAll('/backups/', './'));
      expect({ line, ...ended }).toMatchObject({ line, code: 0, stderr: '' });
    }
    expect((await reader.run('npx rookery migrate')).stdout).toBe('nothing to do\n');
  }),
);

describePostgres('with a database', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  const instance = '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d';
  const filled = (line: string): string =>
    line.replace('<instance id>', instance).replace('postgres://…', postgres.url).replace('8a0c7a8e-…', instance);

  it(`devices are brought along (${importing.place}, ${device.place})`, () =>
    reading(async (reader) => {
      expect((await reader.run(`rookery migrate --database ${postgres.url}`)).code).toBe(0);
      const id = 'apns-01d0e8b4-6a6b-4d53-9d1e-7b1c0d6e8f10';
      const line = JSON.stringify(JSON.parse(device.code.replace('"…"', '"0a1b2c3d"').replace('apns-…', id)));
      reader.write('devices.jsonl', `${line}\n`);
      const imported = await reader.run(filled(linesOf(importing)[0]!));
      expect(imported).toMatchObject({ code: 0, stderr: '' });
      expect(imported.stdout).toMatch(/\b1\b/);
    }));
});

describeNode('the benchmarks', () => {
  const argumentsOf = (line: string): string[] => line.replace(/^.*npm run bench( -- )?/, '').split(' ');

  const ofRows = linesOf(bench).filter((line) => !line.includes('bench:cluster'));

  it('of a cluster take numbers of nodes', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [line = '', ...others] = linesOf(bench).filter((each) => !ofRows.includes(each));
    expect([line, others]).toEqual([expect.stringMatching(/^npm run bench:cluster -- \d+ \d+$/), []]);
    expect(scripts['bench:cluster']).toContain('bench/cluster.mjs');
  });

  it.each([...ofRows, ...linesOf(jitter)])('measure what they are asked for: %s', (line) => {
    const options = readOptions(argumentsOf(line).filter((word) => word !== ''));
    expect(options.names.length).toBeGreaterThan(0);
    expect(() => readOptions(['--only', 'none'])).toThrow('no row none');
  });
});

describeNode('the commands of contributors', () => {
  const steps = read('.ci/run');
  /** What runs what would run this test within itself. */
  const elsewhere: Readonly<Record<string, () => boolean>> = {
    'npm ci': () => steps.includes('\nnpm ci\n'),
    'npm test': () => steps.includes('\n.ci/machines newcomer\n') && read('.ci/machines').includes("npm test'"),
    'npm run test:all': () => steps.includes('\nnpm run test:all\n'),
    'npm run start:dev': () => read('test/commands/start-dev.process.spec.ts').includes("start('npm run start:dev')"),
    'npm run check': () => steps.includes('\nnpm run check\n'),
    '.ci/run': () => steps.startsWith('#!'),
    '.ci/machines': () => steps.includes('\n.ci/machines '),
    'npm run soak': () => read('scripts/soak.mjs').includes('test/soak/memory.spec.ts'),
    'npm install ./rookery-client-0.1.0.tgz pusher-js': () =>
      read('test/package/client.spec.ts').includes('npmInstall(folder, client(), beside'),
    'npm install --save-dev ./rookery-testing-0.1.0.tgz @nestjs/testing': () =>
      read('test/package/in-a-host.ts').includes("'@rookery/testing'"),
    'npm install ./rookery-console-0.1.0.tgz': () =>
      read('test/package/console.spec.ts').includes('npmInstall(folder)'),
    'npm install ./rookery-0.1.0.tgz': () => read('test/package/workshop.ts').includes('npmInstall'),
    'npx nest add rookery --skip-install': () => read('test/package/nest-add.spec.ts').includes('flags: []'),
    'npx nest add rookery --skip-install --push --database=sqlite --yes': () =>
      read('test/package/nest-add.spec.ts').includes("['--push', '--database=sqlite', '--yes']"),
  };

  it.each([...new Set([...developing, ...installing].flatMap(linesOf).flatMap((line) => line.split(' && ')))])(
    'are run: %s',
    (line) => {
      expect(elsewhere[line]?.()).toBe(true);
    },
  );
});

it('names a proxy for what is outside, and none for the hosts of the application', () => {
  for (const line of linesOf(proxied)) {
    const [name = '', value = ''] = line.split('=');
    vi.stubEnv(name, value);
  }
  const proxyOfAll = (...urls: readonly string[]) => urls.map((url) => proxyOf(new URL(url))?.host);
  const outside = proxyOfAll('https://api.push.apple.com', 'http://hooks.example');
  expect(outside).toEqual(['proxy.example:3128', 'proxy.example:3128']);
  const inside = proxyOfAll('https://hooks.internal.example', 'https://a.local.example');
  expect(inside).toEqual([undefined, undefined]);
  vi.unstubAllEnvs();
});
