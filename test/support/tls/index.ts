import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the tests' authority is, for `NODE_EXTRA_CA_CERTS` of a child process. */
export const authorityFile = fileURLToPath(new URL('ca.pem', import.meta.url));

/** The authority to trust in this process. */
export const authority = readFileSync(authorityFile, 'utf8');

/** What a stand-in on localhost serves with; `*.push.example` is in the certificate too. */
export const localhost = {
  cert: readFileSync(new URL('localhost.pem', import.meta.url), 'utf8'),
  key: readFileSync(new URL('localhost-key.pem', import.meta.url), 'utf8'),
};

/** What takes the place of {@link localhost}; its certificate is its own authority. */
export const renewed = {
  cert: readFileSync(new URL('renewed.pem', import.meta.url), 'utf8'),
  key: readFileSync(new URL('renewed-key.pem', import.meta.url), 'utf8'),
};

/** The same with an RSA key. */
export const rsa = {
  cert: readFileSync(new URL('rsa.pem', import.meta.url), 'utf8'),
  key: readFileSync(new URL('rsa-key.pem', import.meta.url), 'utf8'),
};
