import type { ComponentChildren } from 'preact';
import type { ListPage } from '../api/list-page.js';
import { Button } from './button.js';
import { SearchField } from './fields.js';
import { type Rows, VirtualRows } from './virtual-rows.js';
import { Failure } from './words.js';

export type { Column } from './virtual-rows.js';

type ListProps<Row, Page> = Rows<Row> & {
  readonly page: Pick<ListPage<Row, Page>, 'list' | 'chosen' | 'open'> & Partial<ListPage<Row, Page>>;
  nameOf(row: Row): string;
  /** What its search field finds, if it has one, and the parameter of the query. */
  readonly search?: string;
  readonly searchBy?: string;
  /** How many rows there are. */
  readonly total?: ComponentChildren;
  /** The detail of the chosen row. */
  readonly children: ComponentChildren;
};

/** A list that is fetched page by page, beside the detail of its chosen row. */
export function List<Row, Page>({ page, nameOf, children, ...props }: ListProps<Row, Page>) {
  const { list, query = {}, ask = () => {} } = page;
  const { search, searchBy = 'search', total, ...rows } = props;
  return (
    <>
      {search && (
        <div class="row">
          <SearchField label={search} value={query[searchBy] ?? ''} onChange={(text) => ask({ [searchBy]: text })} />
          <span class="small soft number" role="status">
            {total}
          </span>
        </div>
      )}
      <Failure value={list.failure} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            {...rows}
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex((row) => nameOf(row) === page.chosen)}
            onOpen={(row) => page.open(nameOf(row))}
            onEnd={list.more}
            sort={query['sort']}
            onSort={(sort) => ask({ sort })}
            empty={list.first && !list.loading && !list.failure && rows.empty}
          />
        </div>
        {children}
      </div>
    </>
  );
}

export const Refresh = ({ value: list }: { readonly value: { reload(): void } }) => (
  <Button title="r" onClick={() => list.reload()}>
    Refresh
  </Button>
);
