import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Administered, KeyUses } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { ConfirmButton } from '../parts/dialog.js';
import { ago, moment } from '../parts/time.js';
import type { Kind } from './kinds.js';

/** The keys of an app or instance: how long they are valid, and for apps how they are used. */
export function Keys(props: {
  readonly kind: Kind;
  readonly value: Administered;
  readonly fixed: boolean;
  onRemove(key: string): void;
}) {
  const { kind, value, fixed, onRemove } = props;
  const { key, keys, keysValidUntil: ends, oldSecretsValidUntil: oldSecrets = [] } = value;
  const { value: uses } = useAnswer<KeyUses>(kind === 'apps' ? `${pathOf('apps', value.id)}/keys` : null, 10_000);
  return (
    <ul class="choices">
      {[key, ...keys].map((each) => (
        <li key={each} class="row">
          <code class="break">{each}</code>
          <span class="small soft">
            {each === key ? ['current', ...oldSecrets.map(oldSecret)].join('; ') : validity(ends[each])}
            {uses && <> · {useOf(uses, each)}</>}
          </span>
          {!fixed && each !== key && (
            <ConfirmButton
              title="Remove this key?"
              label="Remove key"
              action="Remove the key"
              typed={each}
              onConfirm={() => onRemove(each)}
            >
              The server refuses the key at once. You cannot undo this.
            </ConfirmButton>
          )}
          {!fixed && each === key && oldSecrets.length > 0 && (
            <ConfirmButton
              title="Remove the old secrets of this key?"
              label="Remove old secrets"
              action="Remove the old secrets"
              typed={each}
              onConfirm={() => onRemove(each)}
            >
              The server refuses the old secrets at once. You cannot undo this.
            </ConfirmButton>
          )}
        </li>
      ))}
    </ul>
  );
}

const validity = (until: string | null | undefined): string =>
  until ? `valid until ${moment(Date.parse(until))}` : 'valid until you remove it';

const oldSecret = (until: string | null): string => `old secret ${validity(until)}`;

function useOf({ since, missing, keys }: KeyUses, key: string): string {
  const { connections = 0, usedAt = null } = keys[key] ?? {};
  const last = usedAt === null ? `not used since ${moment(since)}, when a process started` : `last used ${ago(usedAt)}`;
  const silent = missing > 0 ? `; ${counted(missing, 'process', 'processes')} did not answer` : '';
  return `${counted(connections, 'connection')}, ${last}${silent}`;
}
