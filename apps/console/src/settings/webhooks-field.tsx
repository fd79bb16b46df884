import { Field } from '../parts/fields.js';
import type { Kind } from './kinds.js';
import { isFaulty, type Webhook, webhookEvents } from './webhooks.js';

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
