import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by at most half between two full collections. V8 would let it grow fourfold: 150 MB more of dead
 * objects during a large fan-out, and hardly a send faster (`bench/push-fan-out.ts`).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
