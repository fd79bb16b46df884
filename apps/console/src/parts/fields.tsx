import { cloneElement, type JSX, type VNode } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from './button.js';

/** A field with its label, and an error or a hint. */
export function Field(props: {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  /** The input, select or textarea. */
  readonly children: VNode<JSX.HTMLAttributes>;
}) {
  const id = useId();
  const note = props.fault ?? props.hint;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {cloneElement(props.children, { id, ...(note && { 'aria-describedby': `${id}-note` }) })}
      {note && (
        <small id={`${id}-note`} class={props.fault ? 'bad' : undefined} role={props.fault ? 'alert' : undefined}>
          {note}
        </small>
      )}
    </div>
  );
}

/** A field to search by. Escape empties it, as Chromium does and Firefox does not; a second one is the page's. */
export const SearchInput = ({
  value,
  onChange,
  ...others
}: Omit<JSX.InputHTMLAttributes, 'value' | 'onChange'> & {
  readonly value: string;
  onChange(value: string): void;
}) => (
  <input
    {...others}
    type="search"
    value={value}
    onInput={({ currentTarget }) => onChange(currentTarget.value)}
    onKeyDown={(event) => {
      if (event.key !== 'Escape' || value === '') return;
      // So the details beside a list stay open.
      event.preventDefault();
      onChange('');
    }}
  />
);

/** Searches while you type; `/` focuses it. */
export const SearchField = ({
  label,
  ...others
}: {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}) => <SearchInput class="search" data-search aria-label={label} placeholder={label} {...others} />;

/** Selects one of a few values. */
export const Choice = <Value extends string>(props: {
  readonly label: string;
  readonly options: Readonly<Record<NoInfer<Value>, string>>;
  readonly value: Value;
  onChange(value: NoInfer<Value>): void;
}) => (
  <div class="row" role="group" aria-label={props.label}>
    {(Object.keys(props.options) as Value[]).map((value) => (
      <Button key={value} aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
        {props.options[value]}
      </Button>
    ))}
  </div>
);

/** The error of a text as JSON; undefined if it is valid or empty. */
export function jsonFault(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Not valid JSON: ${(error as Error).message}`;
  }
}

/** The names in a text, separated by commas or whitespace. */
export const namesIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
