/** What a process tells the others of itself, to detect incompatible ones. */
export interface NodeDescription {
  /** Host and process id. */
  readonly where: string;
  readonly version: string;
  /** A digest of the apps and their secrets; empty if the apps are not in the settings. */
  readonly apps: string;
}

/** The answer to a renewed lease. */
export interface LeaseRenewal {
  /** Whether there was a lease before. While it is `dying`, another process removes this one's entries. */
  readonly state: 'new' | 'held' | 'dying';
  /** The live processes, this one included. */
  readonly alive: number;
  /** That of the store, and its age. */
  readonly epoch: string;
  readonly ageMs: number;
  /** Whether a process knows an epoch before it: the store has lost its data. */
  readonly isNext: boolean;
}

/**
 * The leases of the processes that share state, where they share it.
 *
 * - `renew` begins or prolongs a process's lease, and answers the epoch: a new one shows that the store has lost its
 *   data. `end` ends the lease at once.
 * - `claimDead` answers to exactly one process one whose lease has ended, at least if it had ended at the latest
 *   `renew`; if the claiming process dies too, another may claim it. `bury` is called when its entries are removed.
 */
export abstract class LeaseStore {
  /** As logs name it. */
  abstract readonly name: 'Redis' | 'PostgreSQL';
  /** Which processes share state, in a sentence that ends with it. */
  abstract readonly scope: string;
  abstract readonly settings: {
    readonly heartbeatSeconds: number;
    readonly leaseSeconds: number;
    readonly outageSeconds: number;
  };
  /** How often the connection broke: earlier answers may be outdated. */
  abstract readonly breaks: number;
  abstract renew(nodeId: string, about: NodeDescription, knownEpoch: string): Promise<LeaseRenewal>;
  abstract claimDead(nodeId: string): Promise<string | undefined>;
  abstract bury(deadId: string): Promise<void>;
  abstract end(nodeId: string): Promise<void>;
  /** The descriptions of all other processes. */
  abstract others(nodeId: string): Promise<readonly NodeDescription[]>;
  /** Registers the callback for reconnections: the store may have lost this process's entries. */
  abstract onReconnect(reconnected: () => Promise<void>): void;
  /** Registers the callback for refusals: other processes considered this one dead. */
  abstract onTakenForDead(takenForDead: () => void): void;
  /**
   * Reports that the store has this process's entries again.
   * @param completeAt when it will have those of all processes, by performance.now()
   * @param breaks the count of breaks when this was determined
   */
  abstract ledgerIsBack(completeAt: number, breaks: number): void;
  /** Called when no more calls follow. */
  abstract close(): void;
}
