import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Runs one of the push benchmarks, which start and measure what they need themselves.
 * @returns the figures that it prints, one object for each platform
 */
export async function pushFigures(script, environment) {
  const args = ['--import', here('../support/typescript.mjs'), here(`../${script}.ts`)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`bench/${script}.ts ended with ${code}`);
  return [...text.matchAll(/\{[^}]*platform: '(\w+)'[^}]*\}/g)].map(([object, platform]) => ({
    platform,
    ...Object.fromEntries([...object.matchAll(/(\w+): ([\d.]+)/g)].map(([, name, value]) => [name, Number(value)])),
  }));
}
