/** The two things that are administered, and where. */
export const kinds = {
  apps: { one: 'app', path: 'admin/apps', secret: 'secret' },
  instances: { one: 'instance', path: 'admin/instances', secret: 'secretKey' },
} as const;

export type Kind = keyof typeof kinds;

/** What of it is no setting that is edited as one. */
const besides = new Set(['id', 'key', 'keys', 'origin', 'enabled', 'version']);

/** The settings of an app or instance, by their names. */
export const settingsIn = (of: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !besides.has(name)));

/** `maxConnections` as it is read: `Max connections`. */
export function titleOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b(tls|url|id|fcm|apns)\b/gi, (name) =>
    name.toUpperCase(),
  );
}

/** What was changed, as a PATCH takes it. */
export const changesOf = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
