/** The limits of the app that shared state keeps, over all nodes. */
export interface LimitsOfApp {
  readonly maxConnections: number;
  readonly presenceMembers: number;
  readonly triggersPerSecond: number;
}
