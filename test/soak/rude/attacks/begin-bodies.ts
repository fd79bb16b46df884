import { testApp } from '../../../support/test-app.js';
import type { Attack } from '../attack.js';

const perSecond = 20;
const begun = 'x'.repeat(900_000);

/** Requests whose bodies never end: their heads have an app's public key, and a signature that cannot be checked yet. */
export const beginBodies: Attack = {
  meets: ['503'],
  run: (rude) =>
    rude.paced(perSecond, async () => {
      const client = await rude.connectRaw();
      client.socket.on('data', (bytes: Buffer) => {
        const status = /^HTTP\/1.1 (\d+)/.exec(bytes.toString('latin1'))?.[1];
        if (status) rude.count(status);
      });
      const now = Math.floor(Date.now() / 1000);
      const query = `auth_key=${testApp.key}&auth_timestamp=${now}&auth_version=1.0&auth_signature=${'0'.repeat(64)}`;
      const headers = `Host: a\r\nX-Forwarded-For: ${rude.address}\r\nContent-Type: application/json\r\nContent-Length: 1000000`;
      client.write(`POST /apps/${testApp.id}/events?${query} HTTP/1.1\r\n${headers}\r\n\r\n${begun}`);
    }),
};
