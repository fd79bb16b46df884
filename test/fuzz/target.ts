/** Code that reads bytes from outside, with what must hold for any of them. */
export interface Target {
  readonly name: string;
  /** A few valid inputs to start from. */
  readonly seeds: readonly (string | Buffer)[];
  /** Throws, or rejects, when an input breaks what must hold. */
  readonly run: (input: Buffer) => void | Promise<void>;
  /** Inputs between two looks at the coverage: fewer for a slow target. @default 2000 */
  readonly batch?: number;
  /** Inputs that run side by side, where one mostly waits and changes nothing for others. @default 1 */
  readonly atOnce?: number;
  readonly stop?: () => Promise<void>;
}

export type OpenTarget = () => Target | Promise<Target>;
