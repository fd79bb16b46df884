import type { ComponentChildren } from 'preact';
import { Field } from '../parts/fields.js';

/** A field of a setting with several: a text, or the text of a file. */
export interface Part {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
  /** It is JSON: a text is one that is not valid. */
  readonly isJson?: boolean;
  /** The endings of the files whose text it accepts. */
  readonly file?: string;
}

type Texts = Readonly<Record<string, unknown>>;

/** A setting with several texts, all of them or none. */
export function ObjectField(props: {
  readonly legend: string;
  readonly hint: string;
  readonly parts: readonly Part[];
  readonly value: Texts | null;
  readonly fixed: boolean;
  onChange(value: Texts | null, isFaulty: boolean): void;
  readonly children?: ComponentChildren;
}) {
  const { parts, value } = props;
  const change = (name: string, text: string): void => {
    const all = Object.entries({ ...value, [name]: text }).filter(([, each]) => each !== '' && each !== undefined);
    const after = all.length === 0 ? null : Object.fromEntries(all);
    props.onChange(after, after !== null && parts.some((part) => !part.isOptional && !after[part.name]));
  };
  const faultOf = ({ name, isOptional, isJson }: Part): string | undefined => {
    if (value === null) return undefined;
    if (!isOptional && !value[name]) return 'This is needed, too.';
    return isJson && typeof value[name] === 'string' ? 'Not valid JSON.' : undefined;
  };
  return (
    <fieldset class="stack" disabled={props.fixed}>
      <legend>{props.legend}</legend>
      <small>{props.hint}</small>
      {parts.map((part) => (
        <PartField
          key={part.name}
          part={part}
          fault={faultOf(part)}
          value={textOf(value?.[part.name])}
          onChange={(text) => change(part.name, text)}
        />
      ))}
      {value && (
        <div class="row">
          {props.children}
          <button type="button" class="button danger" onClick={() => props.onChange(null, false)}>
            Remove {props.legend}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function PartField(props: {
  readonly part: Part;
  readonly fault: string | undefined;
  readonly value: string;
  onChange(text: string): void;
}) {
  const { label, hint = '', placeholder = '', file } = props.part;
  const said = props.value === hidden ? 'Hidden; it stays unless you write another.' : hint;
  return (
    <>
      <Field label={label} hint={said || undefined} fault={props.fault}>
        {file === undefined ? (
          <input
            type="text"
            spellcheck={false}
            autocomplete="off"
            placeholder={placeholder}
            value={props.value}
            onInput={({ currentTarget }) => props.onChange(currentTarget.value.trim())}
          />
        ) : (
          <textarea
            class="mono"
            rows={props.value.includes('\n') ? 5 : 1}
            spellcheck={false}
            placeholder={placeholder}
            value={props.value}
            onInput={({ currentTarget }) => props.onChange(currentTarget.value.trim())}
          />
        )}
      </Field>
      {file !== undefined && (
        <label class="row small">
          From a file
          <input
            type="file"
            accept={file}
            aria-label={`${label} from a file`}
            onChange={({ currentTarget }) => {
              void currentTarget.files?.[0]?.text().then((text) => props.onChange(text.trim()));
            }}
          />
        </label>
      )}
    </>
  );
}

/** Stands for a secret that is not shown. */
const hidden = '********';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);
