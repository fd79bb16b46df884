import type { ApiError } from 'rookery/common';
import { missingInstanceId } from './errors.js';

/** A path parameter that is longer does not reach its route on Fastify. */
const maxParameterLength = 100;

/** Refuses the instance ids that no route gets to see: the empty one, and those that are too long. */
export const instanceInPath =
  (tooLong: () => ApiError) =>
  (_method: string, path: string): void => {
    const [, id] = /\/instances\/([^/]*)\//.exec(path) ?? [];
    if (id === '') throw missingInstanceId();
    if (id !== undefined && id.length > maxParameterLength) throw tooLong();
  };
