import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** rolldown's settings for the sources: `rookery/presence` resolves to the sources, and decorators keep their metadata. */
export const fromSources = {
  cwd: root,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { conditionNames: ['rookery-source', 'node'] },
};
