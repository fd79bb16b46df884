import { CircleCheck, Info, type LucideIcon, OctagonAlert, TriangleAlert, X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { isAway, type Refusal } from '../api/ask.js';
import { Button } from './button.js';
import { Snippet } from './copy.js';
import { FirstFew } from './first-few.js';
import { JsonView } from './json-view.js';
import { ago, awayFrom, moment } from './time.js';

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
    <div class="stack tight empty">
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
  <header class="row page-head">
    <h1>{props.title}</h1>
    {props.actions && <div class="row actions">{props.actions}</div>}
    {props.children && <p>{props.children}</p>}
  </header>
);

/** The details of a row, beside its list; `look` is that of the title. */
export const Details = (props: {
  readonly label: string;
  readonly title: ComponentChildren;
  readonly badge?: ComponentChildren;
  readonly look?: string;
  readonly children: ComponentChildren;
  onClose?: (() => void) | undefined;
}) => (
  <aside class="stack detail" aria-label={props.label}>
    <div class="detail-head">
      <div class="stack">
        {props.badge}
        <h2 class={`${props.look ?? ''} break`}>{props.title}</h2>
      </div>
      {props.onClose && (
        <Button look="plain icon" aria-label="Close" title="Close (Esc)" onClick={props.onClose}>
          <X size={16} />
        </Button>
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

/** The part of a page or of the details that shows what was sent; null where the server hides it. */
export const Payload = (props: { readonly title: string; readonly label: string; readonly value: unknown }) => (
  <Section title={props.title}>
    {props.value === null || props.value === undefined ? (
      <Note>Payloads are hidden on this server.</Note>
    ) : (
      <JsonView value={props.value} label={props.label} />
    )}
  </Section>
);

/** Names that link to what they name. */
export const Chips = ({ names, to }: { readonly names: readonly string[]; to(name: string): string }) => (
  <FirstFew items={names} count={25}>
    {(some) => (
      <div class="chips">
        {some.length === 0 && <span class="faint">none</span>}
        {some.map((name) => (
          <Link key={name} class="badge accent" href={to(name)}>
            {name}
          </Link>
        ))}
      </div>
    )}
  </FirstFew>
);

/** How long ago it was, also by another clock that is ahead; its title is the time. */
export const Ago = (props: {
  readonly at: number;
  /** It may be in the future. */
  readonly mayCome?: boolean;
  readonly children?: ComponentChildren;
}) => (
  <span class="small soft" title={moment(props.at)}>
    {props.mayCome ? awayFrom(props.at) : ago(props.at)}
    {props.children}
  </span>
);

/** Names and values. Pairs without a value are omitted. */
export const Facts = ({ value: facts }: { readonly value: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="facts">
    {Object.entries(facts)
      .filter(([, value]) => value === 0 || Boolean(value))
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
