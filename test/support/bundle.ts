import { build } from 'vite';

/** The one chunk that an entry for places other than Node becomes, minified. @throws Error where it is more than that */
export async function bundled(
  lib: 'client' | 'server',
  format: 'es' | 'iife' = 'es',
): Promise<{ readonly code: string; readonly bytes: number }> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: new URL(`../../libs/sdk/src/${lib}/index.mts`, import.meta.url).pathname,
        preserveEntrySignatures: 'strict',
        output: { format, name: 'rookery' },
      },
    },
  });
  const [chunk, ...others] = 'output' in built ? built.output : [];
  if (!chunk || others.length > 0 || chunk.imports.length > 0) throw new Error(`rookery/${lib} is not one module`);
  return { code: chunk.code, bytes: Buffer.byteLength(chunk.code) };
}
