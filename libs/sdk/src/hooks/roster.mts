import type { HeldChannel } from './held-channel.mjs';

/** A member of a presence channel: `user_id` and `user_info` of its authorization. */
export interface Member<Info> {
  readonly id: string;
  readonly info: Info;
}

/** The members of a presence channel. While the connection is lost, they are those of before. */
export interface Roster<Info> {
  readonly members: readonly Member<Info>[];
  /** The member that this page is; undefined until the channel is subscribed. */
  readonly me: Member<Info> | undefined;
}

const initial: Roster<never> = { members: [], me: undefined };

/** The caller states the type of its server's `user_info`. */
export const rosterOf = <Info,>(held: HeldChannel | undefined): Roster<Info> =>
  (held?.roster as Roster<Info> | undefined) ?? initial;
