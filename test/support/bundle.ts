import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/**
 * The one chunk that an entry for places other than Node becomes, minified. @throws Error where it is more than that
 * @param names what an application imports of it
 * @param beside what the chunk may import: the framework of the page
 */
export async function bundled(
  lib: 'client' | 'react' | 'server' | 'vue',
  format: 'es' | 'iife' = 'es',
  names = '*',
  beside: readonly string[] = [],
): Promise<{ readonly code: string; readonly bytes: number }> {
  const path = fileURLToPath(new URL(`../../libs/sdk/src/${lib}/index.mts`, import.meta.url));
  const input = 'virtual:entry';
  const entry = `export ${names} from ${JSON.stringify(path)};`;
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['rookery-source'] },
    plugins: [
      { name: 'entry', resolveId: (id) => (id === input ? id : null), load: (id) => (id === input ? entry : null) },
    ],
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input,
        external: [...beside],
        preserveEntrySignatures: 'strict',
        output: { format, name: 'rookery' },
      },
    },
  });
  const [chunk, ...others] = 'output' in built ? built.output : [];
  if (!chunk || others.length > 0 || chunk.imports.some((name) => !beside.includes(name)))
    throw new Error(`rookery/${lib} is not one module`);
  return { code: chunk.code, bytes: Buffer.byteLength(chunk.code) };
}
