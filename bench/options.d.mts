/** What is to be measured, and how. */
export interface Options {
  readonly names: readonly string[];
  readonly seconds: number;
  readonly runs: number;
  readonly quick: boolean;
}

/** @throws Error that names what is not known */
export declare function readOptions(args: readonly string[]): Options;
