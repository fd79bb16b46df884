/** Hashes, but for the date and the commit. */
export interface Evidence {
  readonly date: string;
  readonly commit: string;
  readonly build: string;
  readonly configuration: string;
  readonly code: string;
}

export declare function codeHash(paths: readonly string[]): string;
export declare function beginOf(row: string, of: Evidence): string;
export declare function evidenceOf(markdown: string): Map<string, Evidence>;
