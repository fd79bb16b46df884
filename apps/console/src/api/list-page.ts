import { useLocation, useSearchParams } from 'wouter-preact';
import { useKeys } from '../shell/keys.js';
import { pathOf, withQuery } from './ask.js';
import { type Pages, usePages } from './pages.js';

export interface ListPage<
  Row,
  Page,
  Query extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
> {
  readonly query: Query;
  /** The row whose details are open. */
  readonly chosen: string | undefined;
  readonly list: Pages<Row, Page>;
  /** Opens the details of a row, or closes them. */
  open(row?: string): void;
  /** Changes parts of the query. */
  ask(change: Partial<Query>): void;
}

/**
 * A page that shows a list, whose query and chosen row are in its address, so that you can share it.
 *
 * @param path of the API, and of the page below `/console`
 * @param names the parameters of the query
 */
export function useListPage<Name extends string, Row, Page extends { readonly next: string | null }>(
  path: string,
  chosen: string | undefined,
  names: readonly Name[],
  rowsOf: (page: Page) => readonly Row[],
): ListPage<Row, Page, Readonly<Record<Name, string>>> {
  const [search, setSearch] = useSearchParams();
  const [, go] = useLocation();
  const query = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>;
  const list = usePages<Row, Page>(path, query, rowsOf);
  const open = (row?: string): void => go(withQuery(`/${path}${row ? `/${pathOf(row)}` : ''}`, query));
  const ask = (change: Partial<Record<Name, string>>): void => {
    const all = Object.entries<string>({ ...query, ...change }).filter(([, value]) => value !== '');
    setSearch(new URLSearchParams(all), { replace: true });
  };
  useKeys({ Escape: () => chosen && open(), r: list.reload });
  return { query, chosen, list, open, ask };
}
