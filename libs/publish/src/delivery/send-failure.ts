import type { FetchFailed } from 'rookery/common';
import { SendLater } from './push.gateway.js';

/** No answer came, so the message may or may not have been accepted: it is sent again later. */
export function laterAfter(failure: FetchFailed): SendLater {
  return new SendLater(failure.reason === 'timeout' ? 'Timeout' : `Unreachable (${failure.code ?? 'no answer'})`);
}
