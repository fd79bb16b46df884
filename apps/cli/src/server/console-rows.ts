import { wholeNumber } from '../whole-number.js';
import type { ConsoleOwner } from './console-owner.js';

type Page<Name extends string, Row> = Readonly<Record<Name, readonly Row[]>> & { readonly next: string | null };

export const limitOption = ['--limit <count>', 'the most to list', wholeNumber, 20] as const;

/** The first rows of a list of the console, which answers in pages. @throws Fault */
export async function consoleRows<Row, Name extends string = string>(
  { api, path }: ConsoleOwner,
  list: string,
  name: Name,
  limit: number,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null && rows.length < limit;) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page: Page<Name, Row> = await api.ask('GET', `${path}/${list}${query}`);
    rows.push(...page[name]);
    cursor = page.next;
  }
  return rows.slice(0, limit);
}
