/** What became of a run. */
export interface Outcome {
  /** The first rule that was broken, and by what. */
  readonly failure: string | undefined;
  /** Equal for equal runs. */
  readonly trace: string;
  readonly events: number;
  readonly deliveries: number;
  readonly gaps: number;
  readonly kills: number;
  readonly simulatedMs: number;
}
