import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { authority, localhost, renewed, rsa } from '../support/tls/index.js';
import { until } from '../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-tls-'));
const [certFile, keyFile, configFile] = ['cert.pem', 'key.pem', 'config.json'].map((name) => join(folder, name));
const write = ({ cert, key }: typeof localhost): void => {
  writeFileSync(certFile!, cert);
  writeFileSync(keyFile!, key);
};
const environment = {
  DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
  CONFIG_FILE: configFile!,
  TLS_CERT_FILE: certFile!,
  TLS_KEY_FILE: keyFile!,
};
const ca = [authority, renewed.cert, rsa.cert];

let server: NestFastifyApplication;
let port: number;
beforeAll(async () => {
  write(localhost);
  writeFileSync(configFile!, JSON.stringify({ apps: [{ ...testApp, tlsOnly: true }] }));
  server = await createServer(readConfig(environment));
  Logger.overrideLogger(false);
  await server.listen(0, '127.0.0.1');
  port = (server.getHttpServer().address() as AddressInfo).port;
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function post(headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const { method, url: path, body } = signed('POST', '/events', { name: 'e', channel: 'a', data: 'd' });
  const sent = request({ host: '127.0.0.1', port, method, path, ca, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** The common name and the fingerprint of what the server shows. */
async function shown(): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

describe('a server with a certificate', () => {
  it('serves triggers and sockets over TLS, also to an app with tlsOnly', async () => {
    expect(await server.getUrl()).toMatch(/^https:/);
    const client = new WebSocket(`wss://127.0.0.1:${port}/app/${testApp.key}?protocol=7`, { ca });
    const frames: string[] = [];
    client.on('message', (text: Buffer) => {
      frames.push(text.toString());
      if (frames.length === 1) client.send('{"event":"pusher:subscribe","data":{"channel":"a"}}');
    });
    await until(() => frames.length === 2, 'the client is subscribed');
    expect(await post()).toBe(200);
    await until(() => frames.length === 3, 'the event arrives');
    expect(frames[2]).toBe('{"event":"e","channel":"a","data":"d"}');
    client.close();
  });

  it("ignores a request's offer of another protocol", async () => {
    expect(await post({ Connection: 'Upgrade', Upgrade: 'h2c' })).toBe(200);
  });

  it('reloads a changed certificate, keeps connections, and keeps the old pair while the files do not match', async () => {
    const open = new WebSocket(`wss://127.0.0.1:${port}/app/${testApp.key}?protocol=7`, { ca });
    await once(open, 'message');
    const before = await shown();
    writeFileSync(keyFile!, 'no key');
    expect(await shown()).toBe(before);
    write(renewed);
    await until(async () => (await shown()) !== before, 'the new certificate is shown');
    expect(await post()).toBe(200);
    open.send('{"event":"pusher:ping","data":{}}');
    expect(String((await once(open, 'message'))[0])).toContain('pusher:pong');
    open.close();
  });

  it('keeps the old pair when a certificate of another kind of key comes first, and takes the new pair with its key', async () => {
    const warned: string[] = [];
    const warn = vi
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line: unknown) => void warned.push(String(line)));
    try {
      const before = await shown();
      writeFileSync(certFile!, rsa.cert);
      await until(() => warned.length > 0, 'the pair is refused');
      expect(warned[0]).toContain('the key does not belong to the certificate');
      expect(await shown()).toBe(before);
      write(rsa);
      await until(async () => (await shown()) !== before, 'the new certificate is shown');
    } finally {
      warn.mockRestore();
    }
  });

  it.each([
    ['an RSA certificate with an EC key', rsa.cert, localhost.key],
    ['an EC certificate with an RSA key', localhost.cert, rsa.key],
    ['the key of another certificate', localhost.cert, renewed.key],
  ])('does not start with %s', async (_, cert, key) => {
    const files = { TLS_CERT_FILE: join(folder, 'other.pem'), TLS_KEY_FILE: join(folder, 'other-key.pem') };
    writeFileSync(files.TLS_CERT_FILE, cert);
    writeFileSync(files.TLS_KEY_FILE, key);
    await expect(createServer(readConfig({ ...environment, ...files }))).rejects.toThrow(
      'TLS_CERT_FILE, TLS_KEY_FILE: ',
    );
  });

  it.each([
    [{ TLS_CERT_FILE: '/nowhere/cert.pem' }, 'TLS_CERT_FILE: ENOENT'],
    [{ TLS_KEY_FILE: '/nowhere/key.pem' }, 'TLS_KEY_FILE: ENOENT'],
    [{ TLS_KEY_FILE: configFile! }, 'TLS_CERT_FILE, TLS_KEY_FILE: '],
  ])('does not start with %j', async (wrong, text) => {
    await expect(createServer(readConfig({ ...environment, ...wrong }))).rejects.toThrow(text);
  });

  it.each(['TLS_CERT_FILE', 'TLS_KEY_FILE'])('does not start without %s', (name) => {
    expect(() => readConfig({ ...environment, [name]: '' })).toThrow(
      'TLS_CERT_FILE and TLS_KEY_FILE must be set together',
    );
  });
});
