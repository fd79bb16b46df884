import { useState } from 'preact/hooks';
import { Field, jsonFault } from '../parts/fields.js';
import { type Kind, titleOf } from './kinds.js';
import type { Limits } from './limits.js';
import { LimitsField } from './limits-field.js';
import type { Webhook } from './webhooks.js';
import { WebhooksField } from './webhooks-field.js';

interface Setting {
  readonly name: string;
  readonly kind: Kind;
  readonly value: unknown;
  readonly fixed: boolean;
  onChange(value: unknown, isFaulty: boolean): void;
}

/** An editor for a setting: a dedicated form if there is one, otherwise for its JSON. */
export function SettingField(props: Setting) {
  const { name, kind, value, ...others } = props;
  if (name === 'webhooks') return <WebhooksField kind={kind} value={(value ?? []) as Webhook[]} {...others} />;
  if (name === 'limits') return <LimitsField value={value as Limits | null} {...others} />;
  return <PlainField {...props} />;
}

/** A switch for true or false, otherwise the JSON. */
function PlainField(props: {
  readonly name: string;
  readonly value: unknown;
  readonly fixed: boolean;
  onChange(value: unknown, isFaulty: boolean): void;
}) {
  const { name, value, fixed } = props;
  const [text, setText] = useState(() => JSON.stringify(value, null, 2) ?? 'null');
  const fault = text.trim() === '' ? 'Write null to unset it.' : jsonFault(text);
  if (typeof value === 'boolean')
    return (
      <label class="row">
        <input
          type="checkbox"
          disabled={fixed}
          checked={text === 'true'}
          onChange={({ currentTarget: { checked } }) => {
            setText(String(checked));
            props.onChange(checked, false);
          }}
        />
        {titleOf(name)}
      </label>
    );
  const lines = text.split('\n').length;
  return (
    <Field label={titleOf(name)} fault={fault}>
      <textarea
        class="setting"
        rows={Math.min(12, lines)}
        spellcheck={false}
        readOnly={fixed}
        value={text}
        aria-invalid={fault !== undefined}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          const isFaulty = currentTarget.value.trim() === '' || jsonFault(currentTarget.value) !== undefined;
          props.onChange(isFaulty ? value : JSON.parse(currentTarget.value), isFaulty);
        }}
      />
    </Field>
  );
}
