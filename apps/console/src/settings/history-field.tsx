import { Field } from '../parts/fields.js';

interface Rule {
  readonly channels: string;
  readonly events?: number;
  readonly seconds?: number;
  readonly clientEvents?: boolean;
  readonly streams?: boolean;
}

/** The channels whose events are kept; the first rule that matches applies. */
export function HistoryField(props: {
  readonly value: readonly Rule[];
  readonly fixed: boolean;
  onChange(value: readonly Rule[], isFaulty: boolean): void;
}) {
  const { value, fixed } = props;
  const change = (rules: readonly Rule[]): void =>
    props.onChange(
      rules,
      rules.some(({ channels }) => fault(channels)),
    );
  const replace = (index: number, changed: Partial<Rule>): void =>
    change(value.map((each, at) => (at === index ? cleaned({ ...each, ...changed }) : each)));
  return (
    <fieldset class="stack" disabled={fixed}>
      <legend>History</legend>
      <small>Events of these channels are kept, so that returning clients get what they missed.</small>
      {value.map((rule, index) => (
        <div class="card stack" key={index} role="group" aria-label={`History ${index + 1}`}>
          <Field
            label="Channels"
            hint="A channel, or a prefix followed by *."
            fault={rule.channels !== '' && fault(rule.channels) ? 'Only the last character may be *.' : undefined}
          >
            <input
              required
              placeholder="orders-*"
              value={rule.channels}
              onInput={({ currentTarget }) => replace(index, { channels: currentTarget.value.trim() })}
            />
          </Field>
          <div class="columns">
            <Field label="Events" hint="per channel; empty: 1000">
              <input
                type="number"
                min={1}
                value={rule.events ?? ''}
                onInput={({ currentTarget: { value: text } }) => replace(index, { events: numberOf(text) })}
              />
            </Field>
            <Field label="Seconds" hint="empty: 120">
              <input
                type="number"
                min={1}
                value={rule.seconds ?? ''}
                onInput={({ currentTarget: { value: text } }) => replace(index, { seconds: numberOf(text) })}
              />
            </Field>
          </div>
          <label class="row">
            <input
              type="checkbox"
              checked={rule.clientEvents ?? false}
              onChange={({ currentTarget: { checked } }) => replace(index, { clientEvents: checked })}
            />
            Client events too
          </label>
          <label class="row">
            <input
              type="checkbox"
              checked={rule.streams ?? false}
              onChange={({ currentTarget: { checked } }) => replace(index, { streams: checked })}
            />
            Streams: new subscribers get the text so far
          </label>
          {!fixed && (
            <div class="ends">
              <button type="button" class="button danger" onClick={() => change(value.filter((_, at) => at !== index))}>
                Remove history
              </button>
            </div>
          )}
        </div>
      ))}
      {!fixed && (
        <div>
          <button type="button" class="button" onClick={() => change([...value, { channels: '' }])}>
            Add a history
          </button>
        </div>
      )}
    </fieldset>
  );
}

const fault = (channels: string): boolean => !/^[^*]+\*?$|^\*$/.test(channels);
const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));

/** Without the fields that take their defaults. */
const cleaned = (rule: Rule): Rule =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as unknown as Rule;
