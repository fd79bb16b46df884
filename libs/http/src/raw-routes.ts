import type { Awaitable } from '#common';
import type { Refusal } from './refusal.js';
import { originForm, pathOf } from './request-target.js';

/** Routes that read their request bodies themselves. */
export interface RawRoutes {
  /** The path they all begin with, such as `/device_api/v1`. */
  readonly prefix: string;
  /** Narrows the prefix, if a host may have other paths that begin with it. @default all of the prefix */
  readonly only?: RegExp;
  /** The largest body, in bytes. A larger one is dropped: `rawBodyOf` throws `BodyTooLarge`. */
  readonly bodyLimit: number;
  /**
   * Lets browsers of any origin call these routes, whatever the host's own CORS says, and answers their preflights.
   * Needs a catch-all route under the prefix. @default false
   */
  readonly cors?: boolean;
  /** Throws the refusal of a path that no route can answer, such as one without an id. */
  readonly checkPath?: (method: string, path: string) => void;
  /** Throws or rejects with the refusal of a request by its head, before a body is kept that does not come at once. */
  readonly checkHead?: (method: string, target: string) => Awaitable<void>;
  /** Answers errors that occur before or outside Nest's own handling. */
  readonly refuse: (error: unknown) => Refusal;
}

/** A test for the paths of these routes; the query may still be there. */
export function ownPaths({ prefix, only }: Pick<RawRoutes, 'prefix' | 'only'>): (url: string) => boolean {
  const inner = `${prefix}/`;
  return (target) => {
    const url = originForm(target);
    if (!url.startsWith(prefix)) return false;
    const path = pathOf(url);
    return (path.startsWith(inner) || path === prefix) && (only?.test(path) ?? true);
  };
}
