/** The parts of a `package.json` that are read. */
export interface Manifest {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A `package.json` with these dependencies, sorted; those that it has stay as they are. */
export function withDependencies(text: string, dependencies: Readonly<Record<string, string>>): string {
  const manifest = JSON.parse(text) as Manifest;
  const missing = Object.entries(dependencies).filter(([name]) => rangeOf(manifest, name) === undefined);
  if (missing.length === 0) return text;
  const all = Object.entries({ ...manifest.dependencies, ...Object.fromEntries(missing) });
  const sorted = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  const end = text.endsWith('\n') ? '\n' : '';
  return JSON.stringify({ ...manifest, dependencies: sorted }, undefined, indent) + end;
}

export const rangeOf = (manifest: Manifest, name: string): string | undefined =>
  manifest.dependencies?.[name] ?? manifest.devDependencies?.[name] ?? manifest.peerDependencies?.[name];
