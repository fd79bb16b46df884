import { titleOf } from './kinds.js';

/** True or false. */
export const SwitchField = (props: {
  readonly name: string;
  readonly value: boolean;
  readonly fixed: boolean;
  onChange(value: boolean, isFaulty: boolean): void;
}) => (
  <label class="row">
    <input
      type="checkbox"
      disabled={props.fixed}
      checked={props.value}
      onChange={({ currentTarget: { checked } }) => props.onChange(checked, false)}
    />
    {titleOf(props.name)}
  </label>
);
