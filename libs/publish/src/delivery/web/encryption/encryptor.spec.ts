import { createECDH, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import ece from 'http_ece';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Encryptor } from './encryptor.js';

let folder: string;
const open: Encryptor[] = [];

/** A thread needs JavaScript, so this compiles its program as the build does. */
function compiled(...names: string[]): void {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of names) {
    const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    writeFileSync(join(folder, `${name}.js`), outputText);
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-encryption-'));
  compiled('encrypt', 'encryption-batch', 'encryption-thread');
  writeFileSync(
    join(folder, 'dies.js'),
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('out of order'); });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  vi.restoreAllMocks();
  for (const encryptor of open.splice(0)) await encryptor.close();
});

function encryptorWith(program?: string): Encryptor {
  const encryptor = new Encryptor(program === undefined ? undefined : join(folder, program));
  open.push(encryptor);
  return encryptor;
}

function browser() {
  const keys = createECDH('prime256v1');
  const auth = randomBytes(16);
  const decrypt = (body: Buffer | undefined) =>
    ece
      .decrypt(body ?? Buffer.alloc(0), {
        version: 'aes128gcm',
        privateKey: keys,
        authSecret: auth.toString('base64url'),
      })
      .toString();
  return { p256dh: keys.generateKeys(), auth, decrypt };
}

describe.each([
  ['on a thread', 'encryption-thread.js'],
  ['in turns of the event loop', 'none.js'],
])('%s', (_where, program) => {
  const start = () => (program === 'none.js' ? new Encryptor() : encryptorWith(program));

  it('encrypts many messages for many browsers, each for its own', async () => {
    const encryptor = start();
    const messages = ['one', 'two', 'thrée'].map((text) => Buffer.from(text));
    const jobs = Array.from({ length: 150 }, (_, i) => ({ to: browser(), plaintext: messages[i % 3]! }));
    const bodies = await Promise.all(jobs.map(({ to, plaintext }) => encryptor.encrypt(plaintext, to)));
    expect(bodies.map((body, i) => jobs[i]!.to.decrypt(body))).toEqual(
      jobs.map(({ plaintext }) => plaintext.toString()),
    );
  });

  it('answers undefined for an invalid key, and encrypts for the others', async () => {
    const encryptor = start();
    const plaintext = Buffer.from('hi');
    const [good, bad, other] = [browser(), { p256dh: Buffer.alloc(65, 4), auth: Buffer.alloc(16) }, browser()];
    const [first, second, third] = await Promise.all([good, bad, other].map((to) => encryptor.encrypt(plaintext, to)));
    expect([good.decrypt(first), second, other.decrypt(third)]).toEqual(['hi', undefined, 'hi']);
  });
});

it.each(['dies.js', 'missing.js'])('continues without a thread if it fails: %s', async (program) => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const encryptor = encryptorWith(program);
  const to = browser();
  for (let i = 0; i < 3; i++) expect(to.decrypt(await encryptor.encrypt(Buffer.from('hi'), to))).toBe('hi');
  expect(warn).toHaveBeenCalledOnce();
});

it('finishes its work when it is closed', async () => {
  const encryptor = encryptorWith('encryption-thread.js');
  const to = browser();
  const pending = Promise.all(Array.from({ length: 100 }, () => encryptor.encrypt(Buffer.from('hi'), to)));
  await encryptor.close();
  expect(new Set((await pending).map((body) => to.decrypt(body)))).toEqual(new Set(['hi']));
});
