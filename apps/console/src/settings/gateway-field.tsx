import { useState } from 'preact/hooks';
import { ask, pathOf, Refusal } from '../api/ask.js';
import type { GatewayCheck, Platform } from '../api/contract.js';
import { Note } from '../parts/words.js';
import { gateways } from './gateways.js';
import { ObjectField } from './object-field.js';

type Credentials = Readonly<Record<string, unknown>>;

/** The credentials of a push gateway, with a check by the gateway itself. */
export function GatewayField(props: {
  readonly instance: string;
  readonly platform: Platform;
  readonly value: Credentials | null;
  readonly fixed: boolean;
  onChange(value: Credentials | null, isFaulty: boolean): void;
}) {
  const { platform, value } = props;
  const [check, setCheck] = useState<GatewayCheck | 'running'>();
  const change = (after: Credentials | null, isFaulty: boolean): void => {
    setCheck(undefined);
    const fault = after === null ? undefined : accountFault(after['serviceAccount']);
    props.onChange(after && withAccount(after), isFaulty || fault !== undefined);
  };
  const run = async (): Promise<void> => {
    setCheck('running');
    try {
      const path = `${pathOf('instances', props.instance)}/check`;
      setCheck(await ask<GatewayCheck>('POST', path, { platform, credentials: value }));
    } catch (error) {
      setCheck({ isAccepted: false, says: error instanceof Refusal ? error.message : String(error) });
    }
  };
  return (
    <>
      <ObjectField {...gateways[platform]} value={value} fixed={props.fixed} onChange={change}>
        <button type="button" class="button" disabled={check === 'running'} onClick={() => void run()}>
          Check
        </button>
      </ObjectField>
      {typeof check === 'object' && <Note tone={check.isAccepted ? 'good' : 'bad'}>{check.says}</Note>}
    </>
  );
}

/** A service account is written as the text of its file. */
function withAccount(credentials: Credentials): Credentials {
  const { serviceAccount } = credentials;
  if (typeof serviceAccount !== 'string' || accountFault(serviceAccount)) return credentials;
  return { ...credentials, serviceAccount: JSON.parse(serviceAccount) as unknown };
}

function accountFault(account: unknown): string | undefined {
  if (typeof account !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(account);
    return typeof parsed === 'object' && parsed !== null ? undefined : 'not an object';
  } catch {
    return 'not JSON';
  }
}
