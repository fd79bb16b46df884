import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { RedisTuning } from '../redis.options.js';

const names = { ca: 'tlsCaFile', cert: 'tlsCertFile', key: 'tlsKeyFile' } as const;

/**
 * The TLS options of connections. They read the files again for each connection, so that a renewed certificate is used.
 * A file that is gone by then keeps its latest content: an error here would end all attempts to connect.
 * @throws Error that names the setting of a file that cannot be read
 */
export function tlsOf(settings: RedisTuning): ConnectionOptions {
  const options = {};
  for (const [option, name] of Object.entries(names)) {
    const path = settings[name];
    if (path === undefined) continue;
    let latest = contents(name, path);
    const get = (): string => {
      try {
        latest = contents(name, path);
      } catch {
        // As stated above.
      }
      return latest;
    };
    Object.defineProperty(options, option, { enumerable: true, get });
  }
  return options;
}

function contents(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
