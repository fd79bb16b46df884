import { Field } from '../parts/fields.js';
import { titleOf } from './kinds.js';

/** A number, or none. */
export function NumberField(props: {
  readonly name: string;
  /** Its unit, and what an empty field means. */
  readonly hint: string;
  readonly value: number | null;
  readonly fixed: boolean;
  onChange(value: number | null, isFaulty: boolean): void;
}) {
  return (
    <Field label={titleOf(props.name)} hint={props.hint}>
      <input
        type="number"
        min={0}
        step="any"
        readOnly={props.fixed}
        value={props.value ?? ''}
        onInput={({ currentTarget: { value } }) => {
          const number = value === '' ? null : Number(value);
          props.onChange(number, number !== null && !(number >= 0));
        }}
      />
    </Field>
  );
}
