// Using
export * from './presence.module.js';
export * from './presence.service.js';
export * from './member.js';
// Extending
export { ThisNode, Unavailable } from '#common';
export * from './presence.repository.js';
export * from './memory-presence.repository.js';
