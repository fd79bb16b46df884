import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { localhost } from '../support/tls/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const documented = new Set(
  read('docs/server.md')
    .match(/`[A-Z][A-Z_]+`/g)
    ?.map((name) => name.slice(1, -1)),
);
const ofOthers = ['BASE_IMAGE', 'BUILD_VERSION', 'NODE_ENV', 'POSTGRES_PASSWORD', 'POSTGRES_USER', 'POSTGRES_DB'];

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
  const { bin } = JSON.parse(read('apps/server/package.json')) as { bin: { rookery: string } };
  const started = new RegExp(`node_modules/@rookery/server/${bin.rookery}"?,? "?serve`);
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
});

describe('the health check of the image', () => {
  const file = 'ops/docker/health-check.mjs';
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const alive: RequestListener = (request, response) =>
    void response.writeHead(request.url === '/health/live' ? 200 : 404).end();
  const listening = async (server: Server, where: object): Promise<Server> => {
    servers.push(server);
    await once(server.listen(where), 'listening');
    return server;
  };
  const check = (environment: Readonly<Record<string, string>>) =>
    new Promise<number | null>((resolve) => {
      const env = { PATH: process.env['PATH'], ...environment };
      spawn(process.execPath, [join(root, file)], { env, stdio: 'ignore' }).once('exit', resolve);
    });
  const portOf = (server: Server): string => String((server.address() as AddressInfo).port);

  it('is what the Dockerfile runs', () => {
    expect(read('ops/docker/Dockerfile')).toMatch(
      new RegExp(`^ {2}CMD \\["node", "node_modules/@rookery/server/${file}"\\]$`, 'm'),
    );
    expect((JSON.parse(read('apps/server/package.json')) as { files: string[] }).files).toContain('ops');
  });

  it.each(['127.0.0.1', '0.0.0.0'])('passes for a server on %s, and fails without one', async (host) => {
    const server = await listening(createServer(alive), { port: 0, host });
    const PORT = portOf(server);
    expect(await check({ HOST: host, PORT })).toBe(0);
    server.close();
    expect(await check({ HOST: host, PORT })).toBe(1);
  });

  it('passes for a server that speaks TLS, whose certificate names another host', async () => {
    const server = await listening(createTlsServer(localhost, alive), { port: 0, host: '127.0.0.1' });
    const PORT = portOf(server);
    expect(await check({ HOST: '127.0.0.1', PORT, TLS_CERT_FILE: '/tls.pem' })).toBe(0);
    expect(await check({ HOST: '127.0.0.1', PORT })).toBe(1);
  });

  it('fails for a server that answers an error', async () => {
    const server = await listening(
      createServer((_, response) => void response.writeHead(503).end()),
      { port: 0 },
    );
    expect(await check({ HOST: '127.0.0.1', PORT: portOf(server) })).toBe(1);
  });

  it('passes for a server on a Unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-health-'));
    await listening(createServer(alive), { path: join(folder, 'rookery.sock') });
    expect(await check({ HOST: join(folder, 'rookery.sock') })).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

it('all probes of the pods speak TLS when the pods do', () => {
  const pod = read('ops/helm/rookery/templates/deployment.yaml');
  const speaksTls = '(not (empty (or .Values.tlsSecret .Values.env.TLS_CERT_FILE)))';
  expect(pod).toContain(`{{- $scheme := ternary "HTTPS" "HTTP" ${speaksTls} }}\n`);
  const probes = pod.match(/httpGet: \{[^{}]*(\{\{[^{}]*\}\})?[^{}]*\}/g);
  expect(probes).toHaveLength(3);
  for (const probe of probes!) expect(probe).toContain('scheme: {{ $scheme }}');
  expect(read('ops/helm/rookery/values.yaml')).toContain("\ntlsSecret: ''\n");
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
    expect(asked).toMatch(/--build-arg BUILD_VERSION=\d+\.\d+\.\d+/);
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
