import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from './random.js';

/**
 * Lets a seed choose ids and tokens, which are random otherwise, in this process: an order that follows from them is the
 * same in each run. Nothing that must stay secret may be made meanwhile.
 *
 * @param isOfWorld whether the code that asks belongs to the world: other code gets random ones. @default all code does
 * @returns what restores Node's own
 */
export function seedIds(random: Random, isOfWorld: () => boolean = () => true): () => void {
  const { randomUUID, randomBytes, randomInt } = crypto;
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random.below(256)));
  const uuid = (): string => {
    if (!isOfWorld()) return randomUUID();
    const hex = bytes(16).toString('hex');
    const variant = '89ab'[random.below(4)]!;
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      variant + hex.slice(17, 20),
      hex.slice(20),
    ].join('-');
  };
  const int = (least: number, end?: number | ((...given: unknown[]) => void), call?: unknown): unknown => {
    // With a callback it is another function.
    if (typeof end === 'function' || call !== undefined || !isOfWorld())
      return randomInt(least, end as number, call as never);
    return end === undefined ? random.below(least) : least + random.below(end - least);
  };
  const given = (size: number, call?: never): unknown =>
    call || !isOfWorld() ? randomBytes(size, call!) : bytes(size);
  Object.assign(crypto, { randomUUID: uuid, randomBytes: given, randomInt: int });
  globalThis.crypto.randomUUID = uuid as typeof randomUUID;
  syncBuiltinESMExports();
  return () => {
    Object.assign(crypto, { randomUUID, randomBytes, randomInt });
    // The prototype has the platform's.
    Reflect.deleteProperty(globalThis.crypto, 'randomUUID');
    syncBuiltinESMExports();
  };
}
