import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Runs one of the push benchmarks, which start and measure what they need themselves.
 * @returns the figures that it tells, one object for each platform
 */
export async function pushFigures(script, environment) {
  const child = fork(here(`../${script}.ts`), {
    execArgv: ['--import', here('../support/typescript.mjs')],
    env: { ...process.env, ...environment },
  });
  const figures = [];
  child.on('message', (each) => figures.push(each));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`bench/${script}.ts ended with ${code}`);
  return figures;
}
