import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { docBlocks } from '../support/doc-blocks.js';
import { freePort } from '../support/free-port.js';
import { describePrometheus } from '../support/prometheus.js';
import { describeInstalled, pathOf } from '../support/programs.js';
import { proxies } from '../support/proxies.js';
import { instance, startDeviceApi } from '../support/push-app.js';
import { localhost } from '../support/tls/index.js';
import { until } from '../support/until.js';

// What the pages say for other programs, given to these programs.

const root = join(import.meta.dirname, '../..');
const block = (page: string, language: string): string => {
  const [only, ...others] = docBlocks(root).filter((each) => each.page === page && each.language === language);
  if (!only || others.length > 0) throw new Error(`${page} has not one block for ${language}`);
  return only.code;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describeInstalled('nginx')('nginx, as a page configures it', () => {
  const nginx = proxies.find(({ binary }) => binary === 'nginx')!;
  let running: ChildProcess;
  const start = (config: string): void => {
    running = spawn(pathOf('nginx')!, nginx.run(config, folder), { stdio: 'ignore' });
  };
  afterEach(async () => {
    running.kill('SIGTERM');
    await until(() => running.exitCode !== null || running.signalCode !== null, 'nginx has ended');
  });

  it('redirects a device with a hard-coded host to the server (docs/push.md)', async () => {
    const api = await startDeviceApi();
    const port = await freePort();
    writeFileSync(join(folder, 'beams.pem'), localhost.cert);
    writeFileSync(join(folder, 'beams-key.pem'), localhost.key);
    start(
      block('docs/push.md', 'nginx')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replaceAll('/etc/ssl/private/', `${folder}/`)
        .replace('127.0.0.1:6001', `127.0.0.1:${api.port}`),
    );
    const host = `${instance.id}.pushnotifications.pusher.com`;
    const register = (): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const path = `/device_api/v1/instances/${instance.id}/devices/fcm`;
        const headers = { host, 'content-type': 'application/json' };
        // Whether the device trusts the authority is the reader's to see to.
        request({ port, path, method: 'POST', headers, servername: host, rejectUnauthorized: false }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        })
          .on('error', reject)
          .end('{"token":"a-token"}');
      });
    await until(async () => (await register().catch(() => undefined)) !== undefined, 'nginx listens', 30_000);
    const { status, text } = await register();
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ id: expect.stringMatching(/^fcm-/) as string });
    await api.close();
  });

  it('recognizes the requests of one client by their path (docs/scaling.md)', async () => {
    const port = await freePort();
    const shows = `server { listen 127.0.0.1:${port}; location / { return 200 $http_connection_id; } }`;
    start(`${block('docs/scaling.md', 'nginx')}${shows}`);
    const clientOf = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        get({ port, path, agent: false }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => resolve(text));
        }).on('error', reject);
      });
    await until(async () => (await clientOf('/').catch(() => undefined)) !== undefined, 'nginx listens', 30_000);
    expect(await clientOf('/pusher/app/key/123/abcdefgh/xhr_streaming?protocol=7')).toBe('123/abcdefgh');
    expect(await clientOf('/session/s/pusher/app/key/123/abcdefgh/xhr_send')).toBe('123/abcdefgh');
    expect(await clientOf('/app/key')).toMatch(/^[0-9a-f]{32}$/);
    expect(await clientOf('/app/key')).not.toBe(await clientOf('/app/key'));
  });
});

describePrometheus('Prometheus, as a page configures it', () => {
  it('accepts the file with the rules (docs/operating.md)', () => {
    copyFileSync(join(root, 'ops/prometheus/alerts.yml'), join(folder, 'alerts.yml'));
    const check = (config: string): string => {
      writeFileSync(join(folder, 'prometheus.yml'), config);
      return execFileSync('promtool', ['check', 'config', 'prometheus.yml'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    };
    const config = block('docs/operating.md', 'yaml');
    expect(check(config)).toContain('SUCCESS');
    expect(() => check(config.replace('scrape_configs', 'scrapes'))).toThrow('scrapes');
  });
});
