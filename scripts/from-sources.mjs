import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** rolldown's settings for the sources: `rookery/presence` resolves to the sources, and decorators keep their metadata. */
export const fromSources = {
  cwd: root,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { conditionNames: ['rookery-source', 'node'] },
};

/** V8 keeps a text with any other character in two bytes for each. */
export const withOneByteACharacter = (code) =>
  code.replace(/[^\0-\xff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Bundles a program of test/ and runs it with this command's arguments; `--build-only` leaves it at that. Only the
 * sources are bundled, with what the compiler adds to them.
 */
export async function runProgram(input, output) {
  const file = join(root, output);
  const bundle = await rolldown({
    ...fromSources,
    input,
    external: (id) => !/^([./#]|@?rookery\/|@oxc-project\/|test\/)/.test(id),
  });
  // The sources are CommonJS.
  await bundle.write({
    dir: dirname(file),
    entryFileNames: basename(file),
    // What a program imports only when it needs it.
    chunkFileNames: `${basename(file, '.mjs')}-[name].mjs`,
    format: 'esm',
    sourcemap: true,
    banner: 'const { dirname: __dirname, filename: __filename } = import.meta;',
  });
  if (process.argv.includes('--build-only')) process.exit(0);
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', file, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
