/**
 * What a port's method may answer: the value itself when it is in memory, a promise when it is elsewhere.
 * `await` takes both; the hot paths skip the wait when the value is there.
 */
export type Awaitable<T> = T | Promise<T>;

/** A lookup's result, or nothing: databases tend to return `null`. */
export type Found<T> = T | null | undefined;
