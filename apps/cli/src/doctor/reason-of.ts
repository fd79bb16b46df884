import { FetchFailed } from 'rookery/internal/common';
import { lineOf } from '../fault.js';

/** Why a host cannot be reached, where its name is said already: `ECONNREFUSED`. */
export const reasonOf = (error: unknown): string =>
  (error instanceof FetchFailed ? error.code : undefined) ?? lineOf(error);
