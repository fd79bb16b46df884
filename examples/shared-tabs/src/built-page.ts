import { join } from 'node:path';
import { build } from 'vite';

/** The page and its scripts by their paths, as a bundler makes them; an application builds them once. */
export async function builtPage(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const root = join(import.meta.dirname, '../public');
  const built = await build({ root, configFile: false, logLevel: 'warn', build: { write: false } });
  if (!('output' in built)) throw new Error('The page has one build');
  return new Map(built.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
}
