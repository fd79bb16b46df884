import { CircleCheck, Info, type LucideIcon, OctagonAlert, TriangleAlert, X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { isAway, type Refusal } from '../api/ask.js';
import { Snippet } from './copy.js';

type Tone = 'info' | 'good' | 'warn' | 'bad';
const icons = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: OctagonAlert };

/** A highlighted note. */
export function Note({ tone = 'info', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  const Icon = icons[tone];
  return (
    <div class={`note ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden="true" />
      <div class="break">{children}</div>
    </div>
  );
}

/** Why a request failed; nothing while all is well, or while there is no answer at all, which {@link Away} says. */
export function Failure({ value: refusal }: { readonly value: Refusal | undefined }) {
  return refusal && refusal.status !== 0 ? <Note tone="bad">{refusal.message}</Note> : null;
}

/** Once for the whole page, whatever it waits for. */
export const Away = () =>
  isAway.value ? (
    <Note tone="warn">
      The server does not answer. It may be restarting, or the network is down. This page catches up by itself.
    </Note>
  ) : null;

/** A placeholder for an empty list: what will be here, and how to get it. */
export function Empty(props: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly code?: string;
  readonly action?: ComponentChildren;
}) {
  const { icon: Icon } = props;
  return (
    <div class="empty">
      <Icon size={28} aria-hidden="true" />
      <h2>{props.title}</h2>
      {props.children && <p>{props.children}</p>}
      {props.code && <Snippet code={props.code} />}
      {props.action}
    </div>
  );
}

export const PageHead = (props: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) => (
  <header class="page-head">
    <h1>{props.title}</h1>
    {props.actions && <div class="actions">{props.actions}</div>}
    {props.children && <p>{props.children}</p>}
  </header>
);

/** The details of a row, beside its list. */
export const Details = (props: {
  readonly label: string;
  readonly head: ComponentChildren;
  readonly children: ComponentChildren;
  onClose?: (() => void) | undefined;
}) => (
  <aside class="detail" aria-label={props.label}>
    <div class="detail-head">
      {props.head}
      {props.onClose && (
        <button type="button" class="button plain icon" aria-label="Close" title="Close (Esc)" onClick={props.onClose}>
          <X size={16} />
        </button>
      )}
    </div>
    {props.children}
  </aside>
);

/** A part of the details, below its heading. */
export const Section = (props: { readonly title: ComponentChildren; readonly children: ComponentChildren }) => (
  <section class="stack">
    <h3>{props.title}</h3>
    {props.children}
  </section>
);

/** Names and values. Pairs without a value are omitted. */
export const Facts = ({ value: facts }: { readonly value: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="facts">
    {Object.entries(facts)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => [<dt key={`${name}-`}>{name}</dt>, <dd key={name}>{value}</dd>])}
  </dl>
);

export const Badge = ({ tone = '', children }: { readonly tone?: string; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** The head of a column by which a table or list can be sorted. */
export const Sorts = (props: { readonly is: boolean; readonly children: ComponentChildren; onPress(): void }) => (
  <button type="button" class="sorts" aria-pressed={props.is} onClick={props.onPress}>
    {props.children}
    {props.is && ' ↓'}
  </button>
);
