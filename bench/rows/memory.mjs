import { kernelBytes, openFilesLimit } from '../machine.mjs';
import { connections } from './hot-paths.mjs';

export const title = 'Idle connections after a forced collection, bytes resident for each';
export const isLong = true;
export const measures = ['bytesEach', 'kernelBytesEach'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/memory.mjs', ...connections];

/**
 * What each connection adds between a quarter of them and all: at first a process has room left that it got for its
 * start, which would flatter the server that needs most for that. What the kernel holds is not in it: the kernel has a
 * socket for each end of a connection, of which one is the server's.
 */
export async function* run({ quick, beside, withServer, skip }) {
  for (const count of quick ? [4000] : sizes(skip))
    for (const server of ['rookery', ...beside('ws', 'net')])
      yield* withServer(server, async function* (started, client) {
        const first = count / 4;
        await client.ask('connect', { ...started.target, count: first });
        const [few, fewInKernel] = [await started.collectedRss(), kernelBytes()];
        await client.ask('connect', { ...started.target, count: count - first });
        const all = await started.collectedRss();
        const more = count - first;
        const kernelBytesEach = (kernelBytes() - fewInKernel) / more / 2;
        yield { case: `${count} connections`, bytesEach: (all - few) / more, kernelBytesEach, rssMb: all / 2 ** 20 };
      });
}

function sizes(skip) {
  const most = Math.floor((openFilesLimit() - 200) / 1000) * 1000;
  if (most >= 50_000) return [5000, 10_000, 50_000];
  skip(`50,000 connections need \`ulimit -n 50200\`; here it is ${openFilesLimit()}`);
  return [...new Set([5000, 10_000, most].filter((count) => count <= most))];
}
