import { useState } from 'preact/hooks';
import { ask, pathOf, Refusal } from '../api/ask.js';
import type { GatewayCheck, Platform } from '../api/contract.js';
import { Note } from '../parts/words.js';

/** Has a push gateway itself check the credentials. */
export function CheckGateway(props: {
  readonly instance: string;
  readonly platform: Platform;
  readonly credentials: unknown;
}) {
  const { instance, ...given } = props;
  const [check, setCheck] = useState<GatewayCheck | 'running'>();
  const run = async (): Promise<void> => {
    setCheck('running');
    try {
      setCheck(await ask<GatewayCheck>('POST', `${pathOf('instances', instance)}/check`, given));
    } catch (error) {
      setCheck({ isAccepted: false, says: error instanceof Refusal ? error.message : String(error) });
    }
  };
  return (
    <>
      {typeof check === 'object' && <Note tone={check.isAccepted ? 'good' : 'bad'}>{check.says}</Note>}
      <button type="button" class="button" disabled={check === 'running'} onClick={() => void run()}>
        Check
      </button>
    </>
  );
}
