// Using
export { isRookeryRoute, withRookeryRoutes } from 'rookery/common';
export * from './console.module.js';
export { type ConsoleOptions, ConsoleSettings, leastCharacters } from './console.options.js';
// Extending: what serves more of the console's API stands behind its guard
export { ConsoleGuard } from './access/console.guard.js';
export { ConsoleError, consoleRefusal } from './console.errors.js';
