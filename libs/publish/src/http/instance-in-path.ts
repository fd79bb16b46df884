import type { ApiError } from 'rookery/common';
import { missingInstanceId } from '../publish.errors.js';

/** On Fastify, a longer path parameter does not reach its route. */
const maxParameterLength = 100;

/** Refuses instance ids that never reach a route: an empty one, and those that are too long. */
export const instanceInPath =
  (tooLong: () => ApiError) =>
  (_method: string, path: string): void => {
    const [, id] = /\/instances\/([^/]*)\//.exec(path) ?? [];
    if (id === '') throw missingInstanceId();
    if (id !== undefined && id.length > maxParameterLength) throw tooLong();
  };
