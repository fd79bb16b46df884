import { isDeepStrictEqual } from 'node:util';
import type { ServerConfig } from '../config/config.js';

/** The names in the file, or in the environment, of settings that need a restart. */
const names: Readonly<Partial<Record<keyof ServerConfig, string>>> = {
  channels: 'channels',
  devices: 'devices',
  publish: 'publish',
  notifications: 'notifications',
  redis: 'redis',
  console: 'console',
  role: 'role',
};

/** The settings that differ from those at the start and need a restart: `channels.limits, role`. */
export const untakenSettings = (started: ServerConfig, read: ServerConfig): readonly string[] =>
  Object.entries(names).flatMap(([field, name]) => differences(started[field as never], read[field as never], name));

function differences(before: unknown, after: unknown, name: string): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [name];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => `${name}.${field}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Named {
  readonly id: string;
}

/** `apps: added b, changed a, removed c`; undefined if nothing changed. */
export function changesText(what: string, before: readonly Named[], after: readonly Named[]): string | undefined {
  const [old, fresh] = [byId(before), byId(after)];
  const added = after.filter(({ id }) => !old.has(id));
  const removed = before.filter(({ id }) => !fresh.has(id));
  const changed = after.filter((each) => old.has(each.id) && !isDeepStrictEqual(old.get(each.id), each));
  const parts = Object.entries({ added, changed, removed }).filter(([, some]) => some.length > 0);
  if (parts.length === 0) return undefined;
  return `${what}: ${parts.map(([verb, some]) => `${verb} ${some.map(({ id }) => id).join(', ')}`).join('; ')}`;
}

const byId = (all: readonly Named[]): ReadonlyMap<string, Named> => new Map(all.map((each) => [each.id, each]));
