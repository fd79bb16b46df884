import type { Awaitable } from 'rookery/common';
import type { App } from './app.js';

/**
 * Where apps come from. Both methods answer the one app of that id or key, or `undefined` when there is none; ids and
 * keys are compared exactly. They are called for every request and every connection, so an implementation that looks
 * elsewhere should remember for a moment what it found.
 */
export abstract class AppRepository {
  abstract findById(id: string): Awaitable<App | undefined>;
  abstract findByKey(key: string): Awaitable<App | undefined>;
}
