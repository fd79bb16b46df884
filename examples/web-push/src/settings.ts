import { createECDH } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The folder of the database and the keys. */
export const folder = process.env['DATA'] ?? 'data/web-push';
mkdirSync(folder, { recursive: true });

/** Browsers bind their subscriptions to the public key, so the pair is created once and kept. Keep yours secret. */
function vapidKeys(): { vapidPublicKey: string; vapidPrivateKey: string } {
  const file = `${folder}/vapid.json`;
  if (!existsSync(file)) {
    const keys = createECDH('prime256v1');
    const vapidPublicKey = keys.generateKeys('base64url');
    const vapidPrivateKey = keys.getPrivateKey('hex').padStart(64, '0');
    const pair = { vapidPublicKey, vapidPrivateKey: Buffer.from(vapidPrivateKey, 'hex').toString('base64url') };
    writeFileSync(file, JSON.stringify(pair), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof vapidKeys>;
}

export const instance = {
  id: '3f4a5f2c-3f0b-4a9b-8d5a-0c2f6a1d9e01',
  secretKey: 'secret',
  web: { ...vapidKeys(), subject: 'mailto:you@example.com' },
};
