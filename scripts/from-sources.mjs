import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** How rolldown reads the sources: `rookery/presence` is the one beside them, and decorators keep their metadata. */
export const fromSources = {
  cwd: root,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { conditionNames: ['rookery-source', 'node'] },
};
