import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { docBlocks } from '../support/doc-blocks.js';
import { freePort } from '../support/free-port.js';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { describeInstalled, pathOf } from '../support/programs.js';
import { proxies } from '../support/proxies.js';
import { describeRedis } from '../support/redis.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { ReadersFolder } from '../support/terminal.js';
import { authorityFile, localhost } from '../support/tls/index.js';
import { until } from '../support/until.js';

// The files of docs/three-machines.md, on three addresses of loopback.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const blocks = docBlocks(join(import.meta.dirname, '../..')).filter(({ page }) => page === 'docs/three-machines.md');
const block = (beginning: string): string => {
  const [only, ...others] = blocks.filter(({ code }) => code.startsWith(beginning));
  if (!only || others.length > 0) throw new Error(`The page has not one block that begins with ${beginning}`);
  return only.code;
};
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(/^(\w+) ?= ?(.*)$/gm), ([, name, value]) => [name!, value!]));

describePostgres('three machines from nothing', () => {
  describeRedis('with Redis', () => {
    describeInstalled('nginx')('and nginx', () => {
      const folder = mkdtempSync(join(tmpdir(), 'rookery-machines-'));
      const ports: Record<string, number> = {};
      let postgres: TestPostgres;
      const started: ChildProcess[] = [];
      let one: ServerProcess;
      let two: ServerProcess;
      let reader: ReadersFolder;

      /** The page's text for this machine. The tests' PostgreSQL belongs to a user rookery, so the page's is another. */
      const filled = (text: string): string =>
        text
          .replaceAll('10.0.0.1', '127.0.0.4')
          .replaceAll('10.0.0.', '127.0.0.')
          .replaceAll('realtime.example.com', 'localhost')
          .replaceAll(/:?\b(6001|5432)\b/g, (_, port: string) => `:${ports[port]}`)
          .replaceAll(':6379', `:${ports['6379']}`);
      const owner = (text: string): string => text.replace(/(ROLE|rookery|\/\/)( ?)rookery\b/, '$1$2owner');

      const environment = (host: string): Record<string, string> => ({
        ...settingsOf(owner(filled(block('HOST=10.0.0.2')))),
        NODE_ENV: 'production',
        PORT: `${ports['6001']}`,
        HOST: host,
      });

      beforeAll(async () => {
        await buildServer();
        for (const port of ['80', '443', '6001', '6379']) ports[port] = await freePort();
        chmodSync(folder, 0o755);
        const hba = owner(filled(block('host rookery')));
        writeFileSync(join(folder, 'hba.conf'), `${hba}host all rookery 127.0.0.1/32 trust\n`);
        const settings = Object.entries(settingsOf(filled(block('listen_addresses'))));
        const given = settings.map(([name, value]) => `${name}=${value.replaceAll("'", '')}`);
        postgres = await startPostgres(...given, `hba_file=${folder}/hba.conf`);
        ports['5432'] = Number(new URL(postgres.url).port);
        const admin = new Client(postgres.url);
        await admin.connect();
        const [, create = ''] = /psql -c "(.*)"/.exec(block('apt-get update'))!;
        await admin.query(owner(create));
        await admin.query('CREATE DATABASE rookery OWNER owner');
        await admin.end();

        const redis = filled(block('bind'))
          .replace('port 6379', `port ${ports['6379']}`)
          .replace('/var/lib/redis', folder)
          .replace('supervised systemd', 'supervised no');
        writeFileSync(join(folder, 'redis.conf'), redis);
        started.push(spawn('redis-server', [join(folder, 'redis.conf')], { stdio: 'ignore' }));

        writeFileSync(join(folder, 'fullchain.pem'), localhost.cert);
        writeFileSync(join(folder, 'privkey.pem'), localhost.key);
        const nginx = filled(block('map $http_upgrade'))
          .replaceAll('/etc/letsencrypt/live/localhost', folder)
          .replace('listen 80', `listen 127.0.0.1:${ports['80']}`)
          .replace('listen 443', `listen 127.0.0.1:${ports['443']}`);
        const { run } = proxies.find(({ binary }) => binary === 'nginx')!;
        started.push(spawn(pathOf('nginx')!, run(nginx, folder), { stdio: 'ignore' }));
        [one, two] = await Promise.all([
          ServerProcess.start(environment('127.0.0.2')),
          ServerProcess.start(environment('127.0.0.3')),
        ]);
        reader = new ReadersFolder({ ...environment('127.0.0.2'), NODE_EXTRA_CA_CERTS: authorityFile });
      });
      afterAll(async () => {
        await reader?.close();
        await Promise.all([one?.stop(), two?.stop()]);
        for (const child of started) child.kill('SIGTERM');
        await postgres?.stop();
        rmSync(folder, { recursive: true, force: true });
      });

      const address = (): string => `https://localhost:${ports['443']}`;
      const app = '--app 1 --key change-me-key --secret change-me-secret';

      it('passes the page’s own check', async () => {
        const line = block('npx rookery doctor').replace('https://realtime.example.com', address());
        const { code, stdout } = await reader.run(line);
        expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('No faults found.') });
      });

      it('carries events across the stop of either server', async () => {
        const page = reader.start(`rookery subscribe news --url ${address()} ${app}`);
        await page.says('Subscribed to news');
        const hears = async (text: string): Promise<void> => {
          const heard = async () => {
            await reader.run(`rookery trigger news e '{"text":"${text}"}' --url ${address()} ${app}`);
            return page.stdout.includes(text);
          };
          await until(heard, `the page hears ${text}`, 60_000);
        };
        await hears('from both');
        await two.stop();
        await hears('from the first');
        two = await ServerProcess.start(environment('127.0.0.3'));
        await one.stop();
        await hears('from the second');
        one = await ServerProcess.start(environment('127.0.0.2'));
        await hears('from both again');
      });

      it('redirects plain HTTP, and shows no metrics', async () => {
        const plain = await fetch(`http://127.0.0.1:${ports['80']}/apps`, { redirect: 'manual' });
        expect(plain.status).toBe(301);
        const { stdout } = await reader.run(`curl -sk -o /dev/null -w '%{http_code}' ${address()}/metrics`);
        expect(stdout).toBe('403');
      });
    });
  });
});
