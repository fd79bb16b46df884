/** `.env` with these variables: a new one, or the present one with those that it lacks. */
export function envFile(present: string | undefined, variables: Readonly<Record<string, string>>): string {
  const missing = Object.entries(variables).filter(
    ([name]) => !new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(present ?? ''),
  );
  if (missing.length === 0) return present ?? '';
  const before = present === undefined || present === '' ? '' : `${present.trimEnd()}\n\n`;
  return `${before}# Rookery\n${missing.map(([name, value]) => `${name}=${value}\n`).join('')}`;
}

/** A present `.gitignore` that keeps the secrets in `.env` out of the repository. */
export const ignoring = (present: string): string =>
  /^\/?(\*\*\/)?\.env(\*|\.\*)?$/m.test(present) ? present : `${present.trimEnd()}\n\n.env\n`.trimStart();
