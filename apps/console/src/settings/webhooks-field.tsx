import { useState } from 'preact/hooks';
import { Field } from '../parts/fields.js';
import type { Kind } from './kinds.js';
import { headerLines, headersIn, isFaulty, type Webhook, webhookEvents, type WebhookFilter } from './webhooks.js';

/** Edits the webhook endpoints; unknown fields of an endpoint are kept. */
export function WebhooksField(props: {
  readonly kind: Kind;
  readonly value: readonly Webhook[];
  readonly fixed: boolean;
  onChange(value: readonly Webhook[], isFaulty: boolean): void;
}) {
  const { kind, value, fixed } = props;
  const change = (webhooks: readonly Webhook[]): void =>
    props.onChange(
      webhooks,
      webhooks.some((each) => isFaulty(each, kind)),
    );
  const replace = (index: number, changed: Partial<Webhook>): void =>
    change(value.map((each, at) => (at === index ? { ...each, ...changed } : each)));
  return (
    <fieldset class="stack" disabled={fixed}>
      <legend>Webhooks</legend>
      {value.map((webhook, index) => (
        // Webhooks have no id other than their position.
        <div class="card stack" key={index} role="group" aria-label={`Webhook ${index + 1}`}>
          <Field
            label="URL"
            hint={webhook.url.includes('********') ? 'Hidden parts stay unchanged.' : undefined}
            fault={webhook.url !== '' && isFaulty({ ...webhook, secret: 'any' }, kind) ? faults[kind] : undefined}
          >
            <input
              type="url"
              required
              placeholder="https://example.com/hooks"
              value={webhook.url}
              onInput={({ currentTarget }) => replace(index, { url: currentTarget.value.trim() })}
            />
          </Field>
          {kind === 'instances' && (
            <Field label="Secret" hint="Signs the requests.">
              <input
                required
                value={webhook.secret ?? ''}
                onInput={({ currentTarget }) => replace(index, { secret: currentTarget.value })}
              />
            </Field>
          )}
          <div class="columns" role="group" aria-label="Events">
            {webhookEvents[kind].map((name) => (
              <label class="row" key={name}>
                <input
                  type="checkbox"
                  checked={webhook.events?.includes(name) ?? false}
                  onChange={({ currentTarget: { checked } }) =>
                    replace(index, {
                      events: webhookEvents[kind].filter((each) =>
                        each === name ? checked : webhook.events?.includes(each),
                      ),
                    })
                  }
                />
                {name}
              </label>
            ))}
          </div>
          {kind === 'apps' && !webhook.events?.length && <small>None selected: receives all events.</small>}
          {kind === 'apps' && <ChannelsAndHeaders value={webhook} onChange={(changed) => replace(index, changed)} />}
          {!fixed && (
            <div class="ends">
              <button type="button" class="button danger" onClick={() => change(value.filter((_, at) => at !== index))}>
                Remove webhook
              </button>
            </div>
          )}
        </div>
      ))}
      {value.length === 0 && <small>None.</small>}
      {!fixed && (
        <div>
          <button type="button" class="button" onClick={() => change([...value, { url: '', events: [] }])}>
            Add a webhook
          </button>
        </div>
      )}
    </fieldset>
  );
}

const faults: Readonly<Record<Kind, string>> = {
  apps: 'Enter an http or https URL.',
  instances: 'Enter an http or https URL, and select at least one event.',
};

/** The channels whose events an endpoint receives, and its own headers. */
function ChannelsAndHeaders(props: { readonly value: Webhook; onChange(changed: Partial<Webhook>): void }) {
  const { filter = {}, headers } = props.value;
  const [text, setText] = useState(() => headerLines(headers));
  const change = (changed: WebhookFilter): void => {
    const entries = Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== '' && value !== true);
    props.onChange({ filter: Object.fromEntries(entries) });
  };
  return (
    <>
      <div class="columns">
        <Field label="Channels that start with" hint="Empty: all.">
          <input
            placeholder="presence-"
            value={filter.channelNameStartsWith ?? ''}
            onInput={({ currentTarget: { value } }) => change({ channelNameStartsWith: value.trim() })}
          />
        </Field>
        <Field label="Channels that end with" hint="Empty: all.">
          <input
            value={filter.channelNameEndsWith ?? ''}
            onInput={({ currentTarget: { value } }) => change({ channelNameEndsWith: value.trim() })}
          />
        </Field>
      </div>
      <label class="row">
        <input
          type="checkbox"
          checked={filter.encryptedChannels ?? true}
          onChange={({ currentTarget: { checked } }) => change({ encryptedChannels: checked })}
        />
        Encrypted channels too
      </label>
      <Field
        label="Headers"
        hint="One a line, as Name: value. ******** stays unchanged."
        fault={headersIn(text) ? undefined : 'Write each line as Name: value.'}
      >
        <textarea
          rows={Math.max(1, text.split('\n').length)}
          spellcheck={false}
          placeholder="Authorization: Bearer …"
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            const given = headersIn(value);
            if (given) props.onChange({ headers: given });
          }}
        />
      </Field>
    </>
  );
}
