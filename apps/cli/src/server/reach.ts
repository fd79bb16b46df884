import type { BeamsOptions, InterestsPublishRequest } from '@rookery/client/server';
import { devicePages, type Targets } from './device-pages.js';

/** Enough to be warned of; listing all of a large audience would take long. */
export const maxCounted = 1000;
const requestsAtOnce = 10;

/** How many devices a publish would reach now; undefined for more than {@link maxCounted}. @throws Fault */
export async function reachOf(
  instance: BeamsOptions,
  targets: Targets,
  names: readonly string[],
  request: InterestsPublishRequest,
): Promise<number | undefined> {
  const found = new Set<string>();
  const left = [...names];
  const countSome = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      for await (const page of devicePages(instance, targets, name, request)) {
        for (const { id, platform } of page) if (platform in request) found.add(id);
        if (found.size > maxCounted) return;
      }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, countSome));
  return found.size > maxCounted ? undefined : found.size;
}

/** The count in words. */
export const devicesText = (count: number | undefined): string =>
  count === undefined ? `more than ${maxCounted} devices` : `${count} ${count === 1 ? 'device' : 'devices'}`;
