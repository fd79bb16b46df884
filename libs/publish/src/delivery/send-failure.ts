import type { FetchFailed } from 'rookery/common';
import { SendLater } from './push.gateway.js';

/** No answer came, so nobody knows whether the message was taken: it is sent again later. */
export function laterAfter(failure: FetchFailed): SendLater {
  return new SendLater(failure.reason === 'timeout' ? 'Timeout' : `Unreachable (${failure.code ?? 'no answer'})`);
}
