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
