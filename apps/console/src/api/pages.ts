import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Refusal, refusalOf, withQuery } from './ask.js';

export interface Pages<Row, Page> {
  readonly rows: readonly Row[];
  /** The first page, with its fields besides the rows. */
  readonly first?: Page | undefined;
  readonly loading: boolean;
  readonly failure?: Refusal | undefined;
  /** Fetches the next page, if there is one. */
  more(): void;
  reload(): void;
}

/** The pages of a list, fetched one by one. */
export function usePages<Row, Page extends { readonly next: string | null }>(
  path: string | null,
  query: Readonly<Record<string, string | undefined>>,
  rowsOf: (page: Page) => readonly Row[],
): Pages<Row, Page> {
  const asked = path === null ? null : withQuery(path, query);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<State<Row, Page>>({ rows: [], loading: asked !== null });
  const abort = useRef(new AbortController());

  const fetchPage = async (cursor?: string): Promise<void> => {
    const { signal } = abort.current;
    try {
      const page = await ask<Page>('GET', withQuery(path!, { ...query, cursor }), undefined, signal);
      if (signal.aborted) return;
      setState((before) => ({
        rows: cursor ? [...before.rows, ...rowsOf(page)] : rowsOf(page),
        first: cursor ? before.first : page,
        next: page.next,
        loading: false,
      }));
    } catch (error) {
      if (signal.aborted) return;
      setState((before) => ({ ...before, loading: false, failure: refusalOf(error) }));
    }
  };

  useEffect(() => {
    abort.current = new AbortController();
    if (asked === null) return setState({ rows: [], loading: false });
    setState((before) => ({ ...before, loading: true }));
    void fetchPage();
    return () => abort.current.abort();
  }, [asked, turn]);

  return {
    ...state,
    more: () => {
      if (!state.next || state.loading) return;
      setState((before) => ({ ...before, loading: true }));
      void fetchPage(state.next);
    },
    reload: () => setTurn((before) => before + 1),
  };
}

type State<Row, Page> = Omit<Pages<Row, Page>, 'more' | 'reload'> & { readonly next?: string | null };
