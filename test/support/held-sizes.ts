import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EventEmitter } from 'node:events';
import { isProxy } from 'node:util/types';

/** How many entries collections have, by the class and fields that hold them: `Hub.channels[].subscribers`. */
export type Sizes = ReadonlyMap<string, number>;

/** Deeper than any collection of ours. */
const deepest = 8;

/** What all providers of an application's modules hold, and the timers and handles of this process. */
export function sizesIn(app: INestApplicationContext): Sizes {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.providers.values(), ...module.controllers.values()].map(({ instance }) => instance),
  );
  const sizes = sizesOf(providers.filter((each): each is object => typeof each === 'object' && each !== null));
  for (const resource of process.getActiveResourcesInfo()) sizes.set(resource, (sizes.get(resource) ?? 0) + 1);
  return sizes;
}

/** What these objects hold. Each collection is counted once, below the first that has it. */
function sizesOf(roots: readonly object[]): Map<string, number> {
  const sizes = new Map<string, number>();
  const known = new Set<unknown>(roots);
  const count = (path: string, size: number): void => void sizes.set(path, (sizes.get(path) ?? 0) + size);
  const look = (value: unknown, path: string, depth: number, isRoot = false): void => {
    if (typeof value !== 'object' || value === null || isProxy(value) || depth > deepest) return;
    if (!isRoot && known.has(value)) return;
    known.add(value);
    if (value instanceof EventEmitter) {
      for (const event of value.eventNames()) count(`${path} on ${String(event)}`, value.listenerCount(event));
      return;
    }
    if (ArrayBuffer.isView(value) || value instanceof Promise) return;
    if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
      count(path, Array.isArray(value) ? value.length : value.size);
      const entries = value instanceof Map ? [...value.keys(), ...value.values()] : [...value];
      for (const entry of entries) look(entry, `${path}[]`, depth + 1);
      return;
    }
    for (const [field, each] of Object.entries(Object.getOwnPropertyDescriptors(value)))
      if ('value' in each) look(each.value, `${path}.${field}`, depth + 1);
  };
  for (const root of roots) look(root, root.constructor?.name ?? 'Object', 0, true);
  return sizes;
}

/** What there is more of than before: more than one for each two of `lives`. */
export function grown(before: Sizes, after: Sizes, lives: number): Readonly<Record<string, number>> {
  const more = [...after].map(([path, size]) => [path, size - (before.get(path) ?? 0)] as const);
  return Object.fromEntries(more.filter(([, each]) => each >= lives / 2));
}
