import { Field } from '../parts/fields.js';
import { titleOf } from './kinds.js';

/** One text a line, such as the allowed origins. */
export function TextsField(props: {
  readonly name: string;
  readonly hint: string;
  readonly value: readonly string[];
  readonly fixed: boolean;
  onChange(value: readonly string[], isFaulty: boolean): void;
}) {
  return (
    <Field label={titleOf(props.name)} hint={props.hint}>
      <textarea
        rows={Math.min(6, props.value.length + 1)}
        spellcheck={false}
        readOnly={props.fixed}
        value={props.value.join('\n')}
        onInput={({ currentTarget }) =>
          props.onChange(
            currentTarget.value.split('\n').map((line) => line.trim()),
            false,
          )
        }
        onBlur={() =>
          props.onChange(
            props.value.filter((line) => line !== ''),
            false,
          )
        }
      />
    </Field>
  );
}
