import { IsCount, IsWebAddress, Optional, rule } from '#common';
import { isNamePattern } from '../../protocol/name-pattern.js';

/** An endpoint that answers requests of an app's clients. */
export class RequestEndpoint {
  /** The requests that it answers: a name, or a prefix followed by `*`: `game.*`. */
  @rule('isPattern', 'must be a name, or a prefix followed by *', isNamePattern, { context: { shown: 'string' } })
  readonly name!: string;
  /**
   * The channels whose requests it answers, such as `private-game.*`; encrypted channels never match. @default it answers
   * requests without a channel
   */
  @Optional()
  @rule('isPattern', 'must be a channel name, or a prefix followed by *', isNamePattern, {
    context: { shown: 'string' },
  })
  readonly channels?: string;
  /** An http or https URL. */
  @IsWebAddress()
  readonly url!: string;
  /** How long its reply may take, in milliseconds; then the client gets 504. @default `requests.timeoutMs` */
  @Optional()
  @IsCount(1, 50_000)
  readonly timeoutMs?: number;
}
