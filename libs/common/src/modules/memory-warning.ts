import type { Logger } from '@nestjs/common';

/** A module's default implementation of a port, which keeps data in the memory of the process. */
export interface InMemory {
  readonly module: string;
  /** What it keeps, such as `publishes`. */
  readonly keeps: string;
  /** The call that names a store, such as `forRoot({ publishOutbox: TypeOrmPublishOutbox })`. */
  readonly call: string;
  /** What happens to it, such as `they are lost on restart`. */
  readonly loss: string;
}

/** @throws Error in production, unless the module's settings allow it; elsewhere, a warning is logged */
export function warnOfMemory(
  { module, keeps, call, loss }: InMemory,
  { allowMemoryInProduction }: { readonly allowMemoryInProduction: boolean },
  logger: Logger,
): void {
  if (process.env['NODE_ENV'] === 'production' && !allowMemoryInProduction)
    throw new Error(
      `${module} keeps ${keeps} in memory and NODE_ENV is production. Name a store, such as ${call}, ` +
        'or set allowMemoryInProduction: true',
    );
  logger.warn(`${keeps[0]!.toUpperCase()}${keeps.slice(1)} are kept in memory: ${loss}`);
}
