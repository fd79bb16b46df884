import { Logger } from '@nestjs/common';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { CertificateFiles } from './config/config.js';

/** How often the files are checked, in milliseconds. */
const lookEveryMs = 1000;

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @throws Error naming the variable, when a file cannot be read or certificate and key do not match */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const certificate = { cert: contents('TLS_CERT_FILE', certFile), key: contents('TLS_KEY_FILE', keyFile) };
  try {
    createSecureContext(certificate);
    // OpenSSL accepts a key of another kind than the certificate's, and then fails each handshake.
    if (!new X509Certificate(certificate.cert).checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the key does not belong to the certificate');
  } catch (error) {
    throw new Error(`TLS_CERT_FILE, TLS_KEY_FILE: ${(error as Error).message}`, { cause: error });
  }
  return certificate;
}

/**
 * Makes the server load the files again whenever they change, for new connections. While certificate and key do not
 * match, for example because only one is written yet, the server keeps the old pair.
 */
export function followCertificate(server: Server, files: CertificateFiles, current: Certificate): void {
  const logger = new Logger('Server');
  const look = (): void => {
    try {
      const found = readCertificate(files);
      if (found.cert === current.cert && found.key === current.key) return;
      server.setSecureContext(found);
      current = found;
      logger.log('The TLS certificate was reloaded');
    } catch (error) {
      logger.warn(`The previous TLS certificate stays in use: ${(error as Error).message}`);
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval: lookEveryMs, persistent: false }, look);
  server.once('close', () => {
    for (const path of paths) unwatchFile(path, look);
  });
}

function contents(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${variable}: ${(error as Error).message}`, { cause: error });
  }
}
