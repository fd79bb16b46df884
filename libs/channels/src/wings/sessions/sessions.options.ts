import { IsAmount } from '#common';

/** How clients with a session acknowledge what they have received, on channels with a history. */
export class SessionSettings {
  /**
   * How long after an event a client with a session is pinged, in milliseconds. The client's answer
   * confirms what it has received. @default 1000
   */
  @IsAmount(1)
  readonly pingMs: number = 1000;
  /** How long positions are kept after the connection closes, in seconds. @default 86400 */
  @IsAmount(1, 86_400)
  readonly keepSeconds: number = 86_400;
}
