import type { ComponentChildren } from 'preact';
import { amount } from './amounts.js';

/** The first items of a list. A line opens the others, so that what follows a long list stays in reach. */
export function FirstFew<T>(props: {
  readonly items: readonly T[];
  readonly count: number;
  children(items: readonly T[]): ComponentChildren;
}) {
  const { items, count, children: shown } = props;
  return (
    <>
      {shown(items.slice(0, count))}
      {items.length > count && (
        <details class="folded">
          <summary>{amount(items.length - count)} more</summary>
          <div class="stack">{shown(items.slice(count))}</div>
        </details>
      )}
    </>
  );
}
