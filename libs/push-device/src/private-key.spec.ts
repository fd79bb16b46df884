import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { ApnsCredentials, FcmServiceAccount } from 'rookery/push-device';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export(pem).toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pem).toString();
const oneLine = (text: string) => text.replaceAll('\n', String.raw`\n`);
const truncated = (text: string) => `${text.slice(0, 100)}\n-----END PRIVATE KEY-----\n`;

const apns = (key: unknown) => () => settingsOf(ApnsCredentials, { key, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' });
const account = (key: unknown) => () =>
  settingsOf(FcmServiceAccount, { project_id: 'p', client_email: 'e@p.example', private_key: key });

describe("Apple's key", () => {
  it.each([
    ['the text of a .p8 file', p256],
    ['it in one line', oneLine(p256)],
    ['it without its last line break', p256.trim()],
    ['it with line breaks of Windows', p256.replaceAll('\n', '\r\n')],
  ])('may be %s', (_, key) => expect(apns(key)).not.toThrow());

  it.each([
    ['a part of it', truncated(p256)],
    ['a key of another curve', p384],
    ["Google's", rsa],
    ['the name of the file', 'AuthKey_ABC123DEFG.p8'],
    ['no PEM', p256.replaceAll(/-----.*-----/g, '')],
  ])('is refused if it is %s, without showing it', (_, key) =>
    expect(apns(key)).toThrow(/^key must be the text of an Apple .p8 file, got string$/),
  );
});

describe("Google's key", () => {
  it.each([
    ['that of a service account', rsa],
    ['it in one line', oneLine(rsa)],
  ])('may be %s', (_, key) => expect(account(key)).not.toThrow());

  it.each([
    ['a part of it', truncated(rsa)],
    ["Apple's", p256],
    ['too weak for Google', weak],
    ['another text', 'PEM'],
  ])('is refused if it is %s, without showing it', (_, key) =>
    expect(account(key)).toThrow(/^private_key must be the private_key of a Google service account file, got string$/),
  );
});
