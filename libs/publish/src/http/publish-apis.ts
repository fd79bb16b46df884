import type { ApiError } from '#http';
import { instanceNotFound, invalidInstanceId, missingInstanceId } from '../publish.errors.js';

/** On Fastify, a longer path parameter does not reach its route. */
const maxParameterLength = 100;

/** Refuses instance ids that never reach a route: an empty one, and those that are too long. */
const instanceInPath =
  (tooLong: () => ApiError) =>
  (_method: string, path: string): void => {
    const [, id] = /\/instances\/([^/]*)\//.exec(path) ?? [];
    if (id === '') throw missingInstanceId();
    if (id !== undefined && id.length > maxParameterLength) throw tooLong();
  };

const known = instanceInPath(instanceNotFound);
const wellFormed = instanceInPath(invalidInstanceId);

// api § Limits: a publish's size limit depends on its target.
const toUsers = /\/publishes\/users\/?$/;
const notToUsers = /^(?!.*\/publishes\/users\/?$)/;

/** The APIs of this module, each with its path prefix, largest body, and whether browsers call it. */
export const publishApis = [
  { prefix: '/publish_api/v1', only: toUsers, bodyLimit: 200 * 1024, cors: false, checkPath: known },
  { prefix: '/publish_api/v1', only: notToUsers, bodyLimit: 10 * 1024, cors: false, checkPath: known },
  { prefix: '/customer_api/v1', bodyLimit: 10 * 1024, cors: false, checkPath: known },
  { prefix: '/user_api/v1', bodyLimit: 10 * 1024, cors: false, checkPath: known },
  { prefix: '/reporting_api/v2', bodyLimit: 10 * 1024, cors: true, checkPath: wellFormed },
] as const;
