import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { TestRedis } from './redis.js';
import { authorityFile } from './tls/index.js';

const fileOf = (name: string): string => fileURLToPath(new URL(`tls/${name}`, import.meta.url));
/** As awkward as passwords are. */
const password = 'p@ss:word/%';

/**
 * A Redis with TLS, and a user who may do no more than Rookery needs, on keys and topics that begin with its prefix alone.
 * The default user stays what it is, for what a test has to know.
 */
export async function startTlsRedis(keyPrefix: string): Promise<{ readonly redis: TestRedis; readonly url: string }> {
  const port = await freePort();
  const rights = [`~${keyPrefix}:*`, `&${keyPrefix}:*`, '+@all', '-@dangerous', '+info'];
  const tls = ['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-ca-cert-file', authorityFile];
  const certificate = ['--tls-cert-file', fileOf('localhost.pem'), '--tls-key-file', fileOf('localhost-key.pem')];
  const user = ['--user', 'rookery', 'on', `>${password}`, ...rights];
  const redis = await TestRedis.start(...tls, ...certificate, ...user);
  return { redis, url: `rediss://rookery:${encodeURIComponent(password)}@localhost:${port}` };
}
