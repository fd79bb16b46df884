import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageIn } from './bill-of-materials.mjs';

/** The licences of the packages in these folders, one after the other. */
export const licencesOf = (folders) => folders.map(licenceOf).join('\n');

function licenceOf(folder) {
  const { name, version, license } = packageIn(folder);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(80)}\n`;
}
