/** Where figures were measured, as the docs name it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly isPinned: boolean;
}

/**
 * @param folder of the pages: docs/
 * @throws Error if the figures of these rows could not be written
 */
export declare function checkPlaces(names: readonly string[], machine: Machine, folder?: string): void;

/** Figures in the docs that were measured before their code changed. */
export interface StaleFigures {
  readonly row: string;
  readonly page: string;
  readonly date: string;
  readonly commit: string;
}

/** @param folder of the pages: docs/ */
export declare function staleFigures(folder?: string): readonly StaleFigures[];
