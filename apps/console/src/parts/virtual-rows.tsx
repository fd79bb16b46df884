import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shownRows } from './shown-rows.js';
import { Sorts } from './words.js';

export interface Column<Row> {
  readonly head: string;
  /** The order of the list in which this column's largest comes first; its head chooses it. */
  readonly sort?: string;
  /** Classes of all its cells: `wide` ones are hidden on small screens, `end` aligns them. */
  readonly place?: string;
  /** Further classes of its cells below the head. */
  readonly look?: string;
  cell(row: Row): ComponentChildren;
}

export interface Rows<Row> {
  /** The label for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** CSS grid tracks; `narrow` for small screens. */
  readonly tracks: string;
  readonly narrow: string;
  readonly empty: ComponentChildren;
}

export interface VirtualRowsProps<Row> extends Rows<Row> {
  readonly count: number;
  rowAt(index: number): Row;
  readonly selected: number;
  onOpen(row: Row): void;
  /** Called when the last rows become visible. */
  onEnd?(): void;
  /** Called when the first row becomes visible or hidden. */
  onTop?(isAtTop: boolean): void;
  /** The order of the list, if it has several. */
  readonly sort?: string | undefined;
  onSort?(sort: string): void;
}

export const rowHeight = 36;
/** The head stays in sight above the rows that scroll. */
const headHeight = 36;

/**
 * A list of any length: only visible rows exist. Rows keep their positions while their content changes, so nothing
 * jumps when rows are added. Arrow keys, Page Up, Page Down, Home and End move the selection; Enter opens it.
 */
export function VirtualRows<Row>(props: VirtualRowsProps<Row>) {
  const { columns, count, onEnd, selected } = props;
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(-1);
  const { first, last } = shownRows(view.top, view.height, rowHeight, count);

  useLayoutEffect(() => {
    const element = list.current!;
    const measure = (): void => setView((before) => ({ ...before, height: element.clientHeight - headHeight }));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (count > 0 && last >= count) onEnd?.();
  }, [last, count]);

  // The details of a row are closed: the keyboard goes on from it.
  const opened = useRef(selected);
  useEffect(() => {
    const before = opened.current;
    opened.current = selected;
    if (selected >= 0 || before < 0) return;
    setActive(before);
    if (document.activeElement === document.body) list.current!.focus({ preventScroll: true });
  }, [selected]);

  const scrolled = (): void => {
    const top = list.current!.scrollTop;
    setView((before) => ({ ...before, top }));
    props.onTop?.(top < rowHeight / 2);
  };
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(count - 1, to));
    const element = list.current!;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + view.height) element.scrollTop = top + rowHeight - view.height;
    setActive(index);
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: count - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && active >= 0 && active < count) props.onOpen(props.rowAt(active));
    else return;
    event.preventDefault();
  };

  const style = {
    '--columns': props.tracks,
    '--columns-narrow': props.narrow,
    '--row-height': `${rowHeight}px`,
  };
  const current = selected >= 0 ? selected : active;
  const clicked = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element) || target.closest('a, button, input')) return;
    const position = Number(target.closest('.list-row')?.getAttribute('aria-rowindex') ?? 0);
    if (position < 1) return;
    setActive(position - 1);
    props.onOpen(props.rowAt(position - 1));
  };
  return (
    <div
      class="list"
      ref={list}
      style={style}
      role="grid"
      aria-label={props.label}
      aria-rowcount={count}
      tabIndex={0}
      aria-activedescendant={active >= first && active < last ? `${id}-${active - first}` : undefined}
      onScroll={scrolled}
      onKeyDown={pressed}
      onClick={clicked}
      onFocus={() => active < 0 && count > 0 && setActive(first)}
    >
      <div class="list-head" role="row">
        {columns.map(({ head, place, sort }) => (
          <span
            key={head}
            role="columnheader"
            class={place}
            aria-sort={sort !== undefined && sort === props.sort ? 'descending' : undefined}
          >
            {sort === undefined ? (
              head
            ) : (
              <Sorts is={sort === props.sort} onPress={() => props.onSort?.(sort === props.sort ? '' : sort)}>
                {head}
              </Sorts>
            )}
          </span>
        ))}
      </div>
      <div class="list-body" role="rowgroup">
        {count === 0 && (
          <div role="row">
            <div role="gridcell">{props.empty}</div>
          </div>
        )}
        <div class="list-window" style={{ height: `${count * rowHeight}px` }}>
          <div style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {Array.from({ length: last - first }, (_, slot) => (
              <div
                key={slot}
                id={`${id}-${slot}`}
                class="list-row"
                role="row"
                aria-rowindex={first + slot + 1}
                aria-selected={first + slot === current}
              >
                {columns.map((column) => (
                  <Cell key={column.head} of={column} row={props.rowAt(first + slot)} />
                ))}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Its title is its text, which may be cut. */
function Cell<Row>({ of: { place = '', look = '', cell }, row }: { readonly of: Column<Row>; readonly row: Row }) {
  const shown = cell(row);
  return (
    <span role="gridcell" class={`${place} ${look}`} title={typeof shown === 'string' ? shown : ''}>
      {shown}
    </span>
  );
}
