import type { ComponentChildren } from 'preact';
import { clock, moment } from './time.js';

export interface TimelineStep {
  readonly at: number;
  readonly text: ComponentChildren;
}

/** Steps with their times, in the order given. */
export const Timeline = ({ value: steps }: { readonly value: readonly TimelineStep[] }) => (
  <ol class="timeline">
    {steps.map(({ at, text }, index) => (
      <li key={index}>
        <time title={moment(at)}>{clock(at)}</time>
        <span class="break">{text}</span>
      </li>
    ))}
  </ol>
);
