import type { FetchFailed } from '#common';
import { SendLater } from './push.gateway.js';

/** Without an answer, it is unknown whether the message was accepted: send it again later. */
export function laterAfter(failure: FetchFailed): SendLater {
  return new SendLater(failure.reason === 'timeout' ? 'Timeout' : `Unreachable (${failure.code ?? 'no answer'})`);
}
