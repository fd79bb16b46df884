import type { TestProject } from 'vitest/node';
import { isPostgresInstalled, startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A PostgreSQL for all specs, each of which makes databases of its own on it. */
    readonly postgresUrl: string;
  }
}

/** Starts it once for all specs: starting one takes longer than most of their tests. */
export default async function start(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isPostgresInstalled()) return undefined;
  const { url, stop } = await startPostgres('max_connections=300');
  project.provide('postgresUrl', url);
  return stop;
}
