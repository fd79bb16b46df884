import type { BeamsOptions, PublishRequest } from 'rookery/server';
import { devicePages, type Targets } from './device-pages.js';

/** Enough to be warned of; listing all of a large audience would take long. */
const maxCounted = 1000;
const requestsAtOnce = 10;

/** How many devices a publish would reach now, in words. @throws Fault */
export async function reachOf(
  instance: BeamsOptions,
  targets: Targets,
  names: readonly string[],
  request: PublishRequest,
): Promise<string> {
  const found = new Set<string>();
  const left = [...names];
  const countSome = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      for await (const page of devicePages(instance, targets, name)) {
        for (const { id, platform } of page) if (platform in request) found.add(id);
        if (found.size > maxCounted) return;
      }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, countSome));
  if (found.size > maxCounted) return `more than ${maxCounted} devices`;
  return found.size === 1 ? '1 device' : `${found.size} devices`;
}
