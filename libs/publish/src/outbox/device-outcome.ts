/** What became of one device of a publish. */
export interface DeviceOutcome {
  readonly deviceId: string;
  /** `sent`: its gateway accepted it; `failed`: it will not get it; `retrying`: it is to be tried again. */
  readonly outcome: 'sent' | 'failed' | 'retrying';
  /** Of those that are not sent: the gateway's word, or ours. */
  readonly reason?: string;
}

export const outcomes = ['sent', 'failed', 'retrying'] as const satisfies readonly DeviceOutcome['outcome'][];

/** The outcomes that a save brings: of all devices of the page that ends with the lane's cursor, or of some since. */
export interface NewOutcomes {
  readonly of: 'page' | 'retries';
  /** Epoch milliseconds: they are forgotten by it. */
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
  /** Where the next page begins; absent: there is none. */
  readonly next?: string;
}
