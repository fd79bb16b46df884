/** A user who is present in a room. */
export interface Member {
  readonly userId: string;
  /** The user's info as JSON text, kept as it came in so that it is never encoded again; absent when there is none. */
  readonly userInfoJson?: string;
}

/** A user on a roster. */
export interface RosterMember extends Member {
  /** The version of the first roster that showed the user with this info: that of their coming, or of the last update. */
  readonly since: number;
}
