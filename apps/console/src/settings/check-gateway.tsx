import { useAction } from '../api/answer.js';
import { ask, pathOf } from '../api/ask.js';
import type { GatewayCheck, Platform } from '../api/contract.js';
import { Button } from '../parts/button.js';
import { Note } from '../parts/words.js';

/** Has a push gateway itself check the credentials. */
export function CheckGateway(props: {
  readonly instance: string;
  readonly platform: Platform;
  readonly credentials: unknown;
}) {
  const { instance, ...given } = props;
  const { isRunning, value, failure, run } = useAction(() =>
    ask<GatewayCheck>('POST', `${pathOf('instances', instance)}/check`, given),
  );
  const says = failure?.message ?? value?.says;
  return (
    <>
      {says && <Note tone={value?.isAccepted ? 'good' : 'bad'}>{says}</Note>}
      <Button disabled={isRunning} onClick={run}>
        Check
      </Button>
    </>
  );
}
