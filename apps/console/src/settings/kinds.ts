/** The two kinds of administered things, and their paths. */
export const kinds = {
  apps: { one: 'app', path: 'admin/apps' },
  instances: { one: 'instance', path: 'admin/instances' },
} as const;

export type Kind = keyof typeof kinds;

export const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);

/** A page of an app or an instance. */
export interface PageProps {
  readonly kind: Kind;
  readonly id: string;
  /** The selected row of the page's list. */
  readonly chosen?: string | undefined;
}

/** The label of `maxConnections`: `Max connections`. */
export function titleOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b(tls|url|id|fcm|apns)\b/gi, (name) =>
    name.toUpperCase(),
  );
}

/** The changes, as the body of a PATCH. */
export const changesOf = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
