import { Field } from '../parts/fields.js';
import { Note } from '../parts/words.js';
import { GatewayField } from './gateway-field.js';
import { HistoryField } from './history-field.js';
import { type Kind, titleOf } from './kinds.js';
import type { Limits } from './limits.js';
import { LimitsField } from './limits-field.js';
import { ObjectField } from './object-field.js';
import { TextsField } from './texts-field.js';
import type { Webhook } from './webhooks.js';
import { WebhooksField } from './webhooks-field.js';

/** True or false. */
const SwitchField = (props: {
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

/** A number, or none. */
function NumberField(props: {
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

interface Setting {
  readonly name: string;
  readonly kind: Kind;
  /** The app or instance. */
  readonly owner: string;
  readonly value: unknown;
  readonly fixed: boolean;
  /** Why the server refused it. */
  readonly refusal: string | undefined;
  onChange(value: unknown, isFaulty: boolean): void;
}

/** The form of a setting, with the server's refusal below it. */
export const SettingField = ({ refusal, ...setting }: Setting) => (
  <div class="stack" data-setting={setting.name}>
    <Form {...setting} />
    {refusal !== undefined && <Note tone="bad">{refusal}</Note>}
  </div>
);

type Texts = Readonly<Record<string, unknown>>;

/** The server's values have the types that its settings have. */
function Form({ name, kind, owner, value, ...others }: Omit<Setting, 'refusal'>) {
  switch (name) {
    case 'webhooks':
      return <WebhooksField kind={kind} value={(value ?? []) as Webhook[]} {...others} />;
    case 'limits':
      return <LimitsField value={value as Limits | null} {...others} />;
    case 'history':
      return <HistoryField value={(value ?? []) as Parameters<typeof HistoryField>[0]['value']} {...others} />;
    case 'allowedOrigins':
      return <TextsField name={name} hint={hints[name]!} value={(value ?? []) as string[]} {...others} />;
    case 'mirror':
      return <ObjectField {...mirror} value={value as Texts | null} {...others} />;
    case 'apns':
    case 'fcm':
    case 'web':
      return <GatewayField instance={owner} platform={name} value={value as Texts | null} {...others} />;
    default:
      break;
  }
  if (typeof value === 'boolean') return <SwitchField name={name} value={value} {...others} />;
  if (texts.has(name)) return <TextField name={name} value={(value ?? '') as string} {...others} />;
  return <NumberField name={name} hint={hints[name] ?? ''} value={value as number | null} {...others} />;
}

/** A text, or none. */
function TextField(props: {
  readonly name: string;
  readonly value: string;
  readonly fixed: boolean;
  onChange(value: string | null, isFaulty: boolean): void;
}) {
  const { name, value } = props;
  const hint = value === '********' ? 'Hidden; it stays unless you write another.' : hints[name]!;
  return (
    <Field label={titleOf(name)} hint={hint}>
      <input
        type="text"
        spellcheck={false}
        autocomplete="off"
        readOnly={props.fixed}
        value={value}
        onInput={({ currentTarget }) => props.onChange(currentTarget.value || null, false)}
      />
    </Field>
  );
}

const texts = new Set(['name', 'encryptionMasterKeyBase64']);

const hints: Readonly<Record<string, string>> = {
  name: 'Shown in the console instead of the id.',
  allowedOrigins: 'One host a line, from which browsers may connect; * matches any characters.',
  maxConnections: 'Connections at a time. Empty: unlimited.',
  authorizationTimeoutSeconds: 'Seconds to sign in or join a private or presence channel. Empty: no limit.',
  encryptionMasterKeyBase64: '32 bytes in Base64, as in your server library: openssl rand -base64 32',
  publishesPerSecond: 'Publishes and user deletions per second, and the largest burst. Empty: 100.',
};

const mirror = {
  legend: 'Mirror',
  hint: 'A service that also receives everything that servers trigger here, for example while you migrate.',
  parts: [
    { name: 'url', label: 'URL', placeholder: 'https://api-eu.pusher.com', hint: 'Of its HTTP API.' },
    { name: 'id', label: 'App id there', isOptional: true, hint: "Empty: this app's." },
    { name: 'key', label: 'Key there', isOptional: true, hint: "Empty: this app's." },
    { name: 'secret', label: 'Secret there', isOptional: true, hint: "Empty: this app's." },
  ],
};
