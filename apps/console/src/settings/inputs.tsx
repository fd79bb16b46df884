import { useState } from 'preact/hooks';
import type { SettingSchema } from '../api/contract.js';
import { formOf, type TextFormat } from './schema.js';

interface Input {
  /** By {@link Field}. */
  readonly id?: string;
  readonly value: unknown;
  readonly placeholder: string;
  onChange(value: unknown): void;
}

/** A number, or a text of a line. */
export function LineInput({ schema, value, onChange, ...others }: Input & { readonly schema: SettingSchema }) {
  const { type, format, minimum, maximum } = schema;
  const isNumber = formOf(schema) === 'number';
  const shown = (value ?? '') as string | number;
  return (
    <input
      {...others}
      type={isNumber ? 'number' : format === 'uri' ? 'url' : 'text'}
      min={minimum}
      max={maximum}
      step={type === 'integer' ? 1 : 'any'}
      spellcheck={false}
      autocomplete="off"
      value={shown}
      onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? null : isNumber ? Number(text) : text)}
      // Not while a text of several words is written.
      onChange={() => typeof shown === 'string' && onChange(shown.trim() || null)}
    />
  );
}

/** A value that is written as a text of several lines; a text that cannot be read stands for itself. */
export function LinesInput({ format, value, onChange, ...others }: Input & { readonly format: TextFormat }) {
  const [text, setText] = useState('');
  const written = typeof value === 'string' ? value : value ? format.write(value) : '';
  // While its value stays, the text keeps its form: a trailing line break, for example.
  const shown = JSON.stringify(format.read(text)) === JSON.stringify(value) ? text : written;
  return (
    <textarea
      {...others}
      rows={Math.min(6, shown.split('\n').length)}
      spellcheck={false}
      value={shown}
      onInput={({ currentTarget: { value: given } }) => {
        setText(given);
        onChange(format.read(given));
      }}
    />
  );
}
