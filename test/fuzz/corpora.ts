import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(process.cwd(), 'test/fuzz/corpora');
const fileOf = (name: string): string => join(folder, `${name}.txt`);

/** The kept inputs of a target: a line each, as a JSON string of its bytes in Latin-1. */
export function keptInputs(name: string): readonly Buffer[] {
  if (!existsSync(fileOf(name))) return [];
  const lines = readFileSync(fileOf(name), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => Buffer.from(JSON.parse(line) as string, 'latin1'));
}

export function keepInputs(name: string, inputs: readonly Buffer[]): void {
  const lines = new Set(inputs.map(written));
  if (lines.size > 0) writeFileSync(fileOf(name), `${[...lines].join('\n')}\n`);
}

const written = (input: Buffer): string =>
  JSON.stringify(input.toString('latin1')).replaceAll(/[\x7f-\xff]/g, (each) => {
    return `\\u00${each.charCodeAt(0).toString(16)}`;
  });
