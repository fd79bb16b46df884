import { Field } from '../parts/fields.js';
import { titleOf } from './kinds.js';
import { type Limits, limitUnits } from './limits.js';

/** One number for each limit; empty fields use the server's. */
export function LimitsField(props: {
  readonly value: Limits | null;
  readonly fixed: boolean;
  onChange(value: Limits | null, isFaulty: boolean): void;
}) {
  const limits = props.value ?? {};
  const change = (name: string, text: string): void => {
    const others = Object.entries(limits).filter(([each]) => each !== name);
    const all = Object.fromEntries(text === '' ? others : [...others, [name, Number(text)]]) as Limits;
    const values = Object.values(all);
    props.onChange(
      values.length === 0 ? null : all,
      values.some((value) => !Number.isInteger(value) || value < 0),
    );
  };
  return (
    <fieldset class="stack" disabled={props.fixed}>
      <legend>Limits</legend>
      <div class="columns">
        {Object.entries(limitUnits).map(([name, unit]) => (
          <Field key={name} label={titleOf(name)} hint={unit}>
            <input
              type="number"
              min={0}
              step={1}
              placeholder="the server's"
              value={limits[name as keyof Limits] ?? ''}
              onInput={({ currentTarget }) => change(name, currentTarget.value)}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
