import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const documented = new Set(
  read('docs/server.md')
    .match(/`[A-Z][A-Z_]+`/g)
    ?.map((name) => name.slice(1, -1)),
);
const ofOthers = ['BASE_IMAGE', 'NODE_ENV', 'POSTGRES_PASSWORD', 'POSTGRES_USER', 'POSTGRES_DB'];

it.each([
  ['ops/docker/Dockerfile', /\b([A-Z][A-Z_]+)=/g],
  ['ops/docker/compose.yml', /\b([A-Z][A-Z_]+): /g],
  ['ops/systemd/rookery.service', /\b([A-Z][A-Z_]+)=/g],
  ['ops/helm/rookery/templates/deployment.yaml', /name: ([A-Z][A-Z_]+)/g],
])('%s names documented variables', (path, names) => {
  const named = [...read(path).matchAll(names)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => !documented.has(name) && !ofOthers.includes(name))).toEqual([]);
});

it.each(['ops/docker/Dockerfile', 'ops/systemd/rookery.service'])('%s starts the command of the package', (path) => {
  const { bin } = JSON.parse(read('package.json')) as { bin: { rookery: string } };
  const started = new RegExp(`node_modules/rookery/${bin.rookery.replace('./', '')}"?,? "?serve`);
  expect(read(path)).toMatch(started);
});

it.each(['ops/systemd/rookery.service', 'ops/docker/compose.yml'])('%s allows enough time to stop', (path) => {
  const seconds = Number(/(?:TimeoutStopSec=|stop_grace_period: )(\d+)/.exec(read(path))?.[1]);
  // README and ARCHITECTURE.md: drainSeconds (10), 3 of a hold, and 2, 5 and 10 for clients, ports and requests.
  expect(seconds).toBeGreaterThanOrEqual(30);
});

it('the unit grants the server only what it needs', () => {
  const unit = read('ops/systemd/rookery.service');
  for (const what of ['Tunables', 'Modules', 'Logs']) expect(unit).toContain(`\nProtectKernel${what}=yes\n`);
  expect(unit).toContain('\nSystemCallFilter=@system-service\n');
  // Not every machine that tests has systemd.
  const { error, status, stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=yes', '--threshold=20', `${root}ops/systemd/rookery.service`],
    { encoding: 'utf8' },
  );
  if (!error) expect([status, `${stdout}${stderr}`]).toEqual([0, expect.any(String)]);
});

it('systemd accepts the socket unit', () => {
  expect(read('ops/systemd/rookery.socket')).toMatch(/^ListenStream=127\.0\.0\.1:6001$/m);
  // Not every machine that tests has systemd.
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', `${root}ops/systemd/rookery.socket`], {
    encoding: 'utf8',
  });
  if (!error) expect(stderr).not.toContain('rookery.socket');
});

it('the pods have no cluster token, and accept an image digest', () => {
  const pod = read('ops/helm/rookery/templates/deployment.yaml');
  expect(pod).toMatch(/^ {6}automountServiceAccountToken: false$/m);
  expect(pod).toContain('{{ with .Values.image.digest }}@{{ . }}');
});

describe('npm run image', () => {
  const digest = `sha256:${'a1'.repeat(32)}`;

  /** With a docker that writes down what it is asked, and knows one digest. */
  function image(...args: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-image-'));
    const docker = `#!/bin/sh\necho "$@" >> ${folder}/asked\nif [ "$1" = buildx ]; then echo "$DIGEST"; fi\n`;
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    return (known: string) => {
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, DIGEST: known };
      const ended = spawnSync(process.execPath, ['scripts/image.mjs', ...args], { cwd: root, env, encoding: 'utf8' });
      const asked = existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '';
      rmSync(folder, { recursive: true });
      return { ...ended, asked };
    };
  }

  it('builds on the current digest of the base image, and prints it', () => {
    const { status, asked } = image('rookery:1')(digest);
    expect(status).toBe(0);
    expect(asked).toContain(`--build-arg BASE_IMAGE=node:24-slim@${digest} `);
    expect(asked).toContain(`--label org.opencontainers.image.base.digest=${digest} `);
  });

  it('builds on a given digest', () => {
    const { status, asked } = image('rookery:1', `node:22-slim@${digest}`)('');
    expect([status, asked.split('\n')[0]]).toEqual([0, expect.stringContaining(`BASE_IMAGE=node:22-slim@${digest}`)]);
  });

  it.each([
    ['the digest is not known', [], ''],
    ['what is said to be one is none', ['node:24-slim@sha256:1234'], digest],
  ])('does not build if %s', (_, base, known) => {
    const { status, asked } = image('rookery:1', ...base)(known);
    expect([status, asked]).toEqual([1, expect.not.stringContaining('build ')]);
  });

  it('changes the base image in one place: the Dockerfile names it once', () => {
    expect(read('ops/docker/Dockerfile').match(/^FROM \S+/gm)).toEqual(Array(3).fill('FROM ${BASE_IMAGE}'));
  });
});
