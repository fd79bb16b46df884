import { BadRequestException } from '@nestjs/common';
import { isObject } from '../is-object.js';

/** Stands where a secret is kept that is not shown. In a change it stands for the secret that is there. */
export const hidden = '********';

/** What is there of a secret, as it may be shown. */
export const hide = (secret: unknown): typeof hidden | null =>
  secret === undefined || secret === null ? null : hidden;

/**
 * A change with the secrets in it that it leaves as they are. Of a list, the items with the same `url` are compared.
 * @throws BadRequestException naming the field, where there is no secret to leave
 */
export function withHidden(change: unknown, before: unknown, path: string): unknown {
  if (change === hidden) {
    if (typeof before === 'string') return before;
    throw new BadRequestException(`${path} is hidden, and was not there before: give its value`);
  }
  if (Array.isArray(change))
    return change.map((item, i) => withHidden(item, counterpart(item, before, i), `${path}[${i}]`));
  if (!isObject(change)) return change;
  const was = isObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, withHidden(value, was[name], `${path}.${name}`)]),
  );
}

function counterpart(item: unknown, before: unknown, index: number): unknown {
  if (!Array.isArray(before)) return undefined;
  if (!isObject(item) || !('url' in item)) return before[index] as unknown;
  return before.find((other) => isObject(other) && other['url'] === item['url']) as unknown;
}
