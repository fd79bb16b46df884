import { useState } from 'preact/hooks';
import { Question } from '../parts/dialog.js';
import { Choice, Field } from '../parts/fields.js';
import type { Kind } from './kinds.js';

const times = { '': 'until I remove it', 3600: '1 hour', 86400: '1 day', 604800: '7 days', 2592000: '30 days' };

/** What changes for pages, servers and webhooks. */
const changes = {
  pair: 'Servers and pages can use the new key and secret at once. Webhooks name the old key and are signed with its secret while it is valid.',
  secret:
    'The key stays the same: pages need no change. Servers can sign with the new secret at once. Webhooks are signed with the old secret while it is valid.',
  instances: 'Servers can use the new secret key at once.',
} as const;

/** Asks before a new secret is created, says what changes, and how long the old one stays valid. */
export function RotateDialog(props: {
  readonly kind: Kind;
  readonly id: string;
  onConfirm(rotation: object): void;
  onClose(): void;
}) {
  const { kind } = props;
  const [seconds, setSeconds] = useState('');
  const [what, setWhat] = useState<'pair' | 'secret'>('pair');
  const rotation = {
    ...(kind === 'apps' && { sameKey: what === 'secret' }),
    ...(seconds !== '' && { oldValidForSeconds: Number(seconds) }),
  };
  return (
    <Question
      title={`Create a new secret for ${props.id}?`}
      action="Create it"
      onSubmit={() => (props.onClose(), props.onConfirm(rotation))}
      onClose={props.onClose}
    >
      {kind === 'apps' && (
        <Choice
          label="What is new"
          options={{ pair: 'A new key and secret', secret: 'A new secret for the same key' }}
          value={what}
          onChange={setWhat}
        />
      )}
      <p class="soft">
        {changes[kind === 'apps' ? what : kind]} The console shows the new secret only once. Replace the old one
        wherever you use it before it ends.
      </p>
      <Field label="The old secret stays valid" hint={seconds && 'You can remove it earlier.'}>
        <select value={seconds} onChange={(event) => setSeconds(event.currentTarget.value)}>
          {Object.entries(times).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </Field>
    </Question>
  );
}
