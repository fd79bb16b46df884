// Using
export { isRookeryPath, isRookeryRoute, withRookeryRoutes } from 'rookery/internal/http';
export * from './console.module.js';
export { type ConsoleOptions, ConsoleSettings, minCharacters } from './console.options.js';
export {
  type ChartMinute,
  ConsoleStore,
  countOf,
  type Implementation,
  type KeptHealth,
  MemoryConsoleStore,
  MemoryRequestRates,
  type RequestLimit,
  RequestRates,
  type TraceBlock,
} from 'rookery/internal/common';
// Extending: providers that serve further parts of the console's API use its guard
export { ConsoleGuard } from './access/console.guard.js';
export { ConsoleError, consoleRefusal } from './console.errors.js';
