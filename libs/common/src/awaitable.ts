/**
 * The result of a port's method: the value itself when it is in memory, a promise when it is elsewhere.
 * `await` takes both; hot paths skip the wait when the value is present.
 */
export type Awaitable<T> = T | Promise<T>;

/** A lookup's result, or nothing: databases often return `null`. */
export type Found<T> = T | null | undefined;
