// Using
export { isRookeryRoute, withRookeryRoutes } from 'rookery/common';
export * from './console.module.js';
export { type ConsoleOptions, ConsoleSettings, leastCharacters } from './console.options.js';
// Extending: providers that serve further parts of the console's API use its guard
export { ConsoleGuard } from './access/console.guard.js';
export { ConsoleError, consoleRefusal } from './console.errors.js';
