import type { ComponentChildren } from 'preact';
import type { Pages } from '../api/pages.js';
import { Cell, VirtualRows } from './virtual-rows.js';
import { Failure, Sorts } from './words.js';

export interface Column<Row> {
  readonly head: string;
  /** The order of the list in which this column's largest comes first; its head chooses it. */
  readonly sort?: string;
  /** Classes of all its cells: `wide` ones are hidden on small screens, `end` aligns them. */
  readonly place?: string;
  /** Further classes of its cells below the head. */
  readonly look?: string;
  title?(row: Row): string;
  cell(row: Row): ComponentChildren;
}

export interface ListProps<Row, Page> {
  /** The label for screen readers. */
  readonly label: string;
  readonly pages: Pages<Row, Page>;
  nameOf(row: Row): string;
  /** The name of the row whose detail is open. */
  readonly chosen: string | undefined;
  onOpen(name: string): void;
  readonly columns: readonly Column<Row>[];
  /** CSS grid tracks; `narrow` for small screens. */
  readonly tracks: string;
  readonly narrow: string;
  readonly empty: ComponentChildren;
  /** The order of the list, if it has several. */
  readonly sort?: string;
  onSort?(sort: string): void;
  /** The detail of the chosen row. */
  readonly children: ComponentChildren;
}

/** A list that is fetched page by page, beside the detail of its chosen row. */
export function List<Row, Page>({ pages: list, columns, nameOf, ...props }: ListProps<Row, Page>) {
  return (
    <>
      <Failure value={list.failure} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label={props.label}
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex((row) => nameOf(row) === props.chosen)}
            onOpen={(row) => props.onOpen(nameOf(row))}
            onEnd={list.more}
            columns={props.tracks}
            narrow={props.narrow}
            head={columns.map(({ head, place = '', sort }) => (
              <Cell key={head} head class={place} isSorted={sort !== undefined && sort === props.sort}>
                {sort === undefined ? (
                  head
                ) : (
                  <Sorts is={sort === props.sort} onPress={() => props.onSort?.(sort === props.sort ? '' : sort)}>
                    {head}
                  </Sorts>
                )}
              </Cell>
            ))}
            cells={(row) =>
              columns.map(({ head, place = '', look = '', title, cell }) => (
                <Cell key={head} class={`${place} ${look}`} title={title?.(row) ?? ''}>
                  {cell(row)}
                </Cell>
              ))
            }
            empty={list.first && !list.loading && !list.failure && props.empty}
          />
        </div>
        {props.children}
      </div>
    </>
  );
}

export const Refresh = ({ value: list }: { readonly value: { reload(): void } }) => (
  <button type="button" class="button" title="r" onClick={() => list.reload()}>
    Refresh
  </button>
);
