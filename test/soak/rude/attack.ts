import type { Rude } from './rude.js';

/** What a client, a tenant with the secret of its own app, or the endpoint of one does to others. */
export interface Attack {
  /** Settles, or goes on until the turn is over. Its rates are fixed, so that the load is the same on each machine. */
  readonly run: (rude: Rude) => Promise<unknown>;
  /** What it has to come up against: limits as metrics name them, or statuses of HTTP. */
  readonly meets: readonly string[];
  /** How long it takes until then. @default 3500 */
  readonly ms?: number;
}
