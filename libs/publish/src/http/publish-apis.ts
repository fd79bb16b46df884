import { instanceNotFound, invalidInstanceId } from '../publish.errors.js';
import { instanceInPath } from './instance-in-path.js';

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
