/** The outcome for one device of a publish. */
export interface DeviceOutcome {
  readonly deviceId: string;
  /** `sent`: its gateway accepted it; `failed`: it will not get it; `retrying`: it will be tried again. */
  readonly outcome: 'sent' | 'failed' | 'retrying';
  /** Unless sent: the gateway's reason, or ours. */
  readonly reason?: string;
}

export const outcomes = ['sent', 'failed', 'retrying'] as const satisfies readonly DeviceOutcome['outcome'][];

/**
 * The outcomes that a save adds: for all devices of the page that ends with the lane's cursor, or for some later ones.
 */
export interface NewOutcomes {
  readonly of: 'page' | 'retries';
  /** When they are forgotten, in epoch milliseconds. */
  readonly at: number;
  readonly devices: readonly DeviceOutcome[];
}

/** Which outcomes of a publish to read. */
export interface OutcomeQuery {
  /** Only devices with a greater id. */
  readonly after: string;
  readonly limit: number;
  /** Only these; absent: all. */
  readonly outcome?: DeviceOutcome['outcome'];
}

export interface OutcomePage {
  readonly devices: readonly DeviceOutcome[];
  /** Where the next page begins; absent after the last page. */
  readonly next?: string;
}
