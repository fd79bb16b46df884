/** The part of a row that the tests use. */
export interface Row {
  readonly title: string;
  /** Files and folders, from the root of the repository. */
  readonly hotPath?: readonly string[];
}

export declare const documented: readonly string[];
export declare const rows: Readonly<Record<string, Row>>;
