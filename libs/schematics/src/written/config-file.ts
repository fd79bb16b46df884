import type { ConfigConstant } from '../additions.js';

const head = `import { existsSync } from 'node:fs';

// Variables that are set already win over those of the file.
if (existsSync('.env')) process.loadEnvFile('.env');
`;

const reader = `
function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(\`\${name} is not set: add it to .env\`);
  return value;
}
`;

/** `rookery.config.ts` with these constants: a new one, or the present one with those that it lacks. */
export function configFile(present: string | undefined, constants: readonly ConfigConstant[]): string {
  const missing = constants.filter(({ name }) => !new RegExp(`\\bconst ${name}\\b`).test(present ?? ''));
  const texts = missing.map(({ text }) => `\n${text}`).join('');
  if (present === undefined) return head + texts + reader;
  const needsReader = missing.length > 0 && !/\bfunction variable\b/.test(present);
  return present + texts + (needsReader ? reader : '');
}
