import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Sends `bytes` to the first `count` of the descriptors `fds`, without waiting. Of each, `results` then says how many
 * bytes the kernel took, or the negative errno.
 */
export type SendToAll = (fds: Int32Array, count: number, bytes: Uint8Array, results: Int32Array) => void;

/** `native/send.c`, where it was compiled at install; undefined elsewhere, and with `ROOKERY_NATIVE=false`. */
export const sendToAll: SendToAll | undefined = process.env['ROOKERY_NATIVE'] === 'false' ? undefined : compiled();

function compiled(): SendToAll | undefined {
  const require = createRequire(import.meta.url);
  const file = join('native', 'build', `send-${process.platform}-${process.arch}.node`);
  try {
    // The package's own: what scripts/build-native.mjs has made.
    return (require(join(dirname(require.resolve('rookery/package.json')), file)) as { readonly send: SendToAll }).send;
  } catch {
    return undefined; // JavaScript does the same, one socket after the other.
  }
}
