// Runs an example from this repository: `npm run example chat`.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../bench/support/typescript.mjs';

const [name = ''] = process.argv.slice(2);
const main = new URL(`../examples/${name}/src/main.ts`, import.meta.url);
if (name && existsSync(main)) await import(main.href);
else {
  const folder = fileURLToPath(new URL('../examples', import.meta.url));
  const names = readdirSync(folder).filter((each) => existsSync(`${folder}/${each}/src/main.ts`));
  console.error(`npm run example <name>; there are ${names.join(', ')}`);
  process.exitCode = 1;
}
