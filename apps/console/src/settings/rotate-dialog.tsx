import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.js';
import { Field } from '../parts/fields.js';
import type { Kind } from './kinds.js';

const times = { '': 'until I remove it', 3600: '1 hour', 86400: '1 day', 604800: '7 days', 2592000: '30 days' };

const changes = {
  apps: 'Servers and pages can use the new pair at once. Webhooks are signed with the old one while it is valid.',
  instances: 'Servers can use the new secret key at once.',
} as const;

/** Asks before a new secret is created, says what changes, and how long the old one stays valid. */
export function RotateDialog(props: {
  readonly kind: Kind;
  readonly id: string;
  onConfirm(rotation: object): void;
  onClose(): void;
}) {
  const [seconds, setSeconds] = useState('');
  return (
    <Dialog title={`Create a new secret for ${props.id}?`} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          props.onClose();
          props.onConfirm(seconds === '' ? {} : { oldValidForSeconds: Number(seconds) });
        }}
      >
        <p class="soft">{changes[props.kind]} You see it once: bring it everywhere before the old one ends.</p>
        <Field label="The old secret stays valid" hint="You can remove it at any time before.">
          <select value={seconds} onChange={(event) => setSeconds(event.currentTarget.value)}>
            {Object.entries(times).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <div class="ends">
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button class="button main">Create it</button>
        </div>
      </form>
    </Dialog>
  );
}
