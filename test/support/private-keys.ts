import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';

const pemOf = ({ privateKey }: KeyPairKeyObjectResult): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A new key like those of Apple's .p8 files. */
export const applePem = (): string => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));

/** A new key like those of Google's service accounts. */
export const googlePem = (): string => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
