import { readFileSync } from 'node:fs';

/** The text of a file; 0 is stdin. Without the byte order mark with which editors on Windows begin it: no JSON has one. */
export const fileText = (path: string | 0): string => readFileSync(path, 'utf8').replace(/^\ufeff/, '');
