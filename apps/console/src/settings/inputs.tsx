import { useState } from 'preact/hooks';
import type { SettingSchema } from '../api/contract.js';

interface Input {
  /** By {@link Field}. */
  readonly id?: string;
  readonly value: unknown;
  readonly fixed: boolean;
  readonly placeholder: string;
  onChange(value: unknown): void;
}

export const NumberInput = ({
  schema,
  fixed,
  value,
  onChange,
  ...others
}: Input & { readonly schema: SettingSchema }) => (
  <input
    {...others}
    type="number"
    min={schema.minimum}
    max={schema.maximum}
    step={schema.type === 'integer' ? 1 : 'any'}
    readOnly={fixed}
    value={(value ?? '') as number | ''}
    onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? null : Number(text))}
  />
);

/** A text; a long one has several lines. */
export function TextInput(props: Input & { readonly type: string; readonly isLong: boolean }) {
  const { isLong, type, fixed, value, onChange, ...others } = props;
  const text = (value ?? '') as string;
  const shared = {
    ...others,
    spellcheck: false,
    readOnly: fixed,
    value: text,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value || null),
    // Not while a text of several words is written.
    onChange: () => onChange(text.trim() || null),
  };
  return isLong ? (
    <textarea {...shared} class="mono" rows={text.includes('\n') ? 5 : 1} />
  ) : (
    <input {...shared} type={type} autocomplete="off" />
  );
}

/** A value that is written as text; a text that cannot be read stands for itself. */
export function ParsedInput(props: Input & { read(text: string): unknown; write(value: unknown): string }) {
  const { read, write, fixed, value, onChange, ...others } = props;
  const [text, setText] = useState('');
  const written = typeof value === 'string' ? value : value ? write(value) : '';
  // While its value stays, the text keeps its form: a trailing line break, for example.
  const shown = JSON.stringify(read(text)) === JSON.stringify(value) ? text : written;
  return (
    <textarea
      {...others}
      rows={Math.min(6, shown.split('\n').length)}
      spellcheck={false}
      readOnly={fixed}
      value={shown}
      onInput={({ currentTarget: { value: given } }) => {
        setText(given);
        onChange(read(given));
      }}
    />
  );
}
