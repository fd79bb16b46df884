import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What this process holds, after a collection. */
export function usedBytes(): number {
  collect();
  // V8 frees the memory of buffers in the background; the next collection begins when that is done.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
