/** A trigger, in the world's time. */
export interface Trigger {
  readonly channel: string;
  readonly id: string;
  readonly issuedAt: number;
  /** When the node answered; never if it died before. */
  answeredAt?: number;
  /** The answer. */
  outcome?: 'accepted' | 'too many' | 'failed';
}

/** A trigger that the store accepted. */
interface Accepted {
  readonly from: number;
  readonly to: number;
}

/**
 * What the rate of triggers did wrong: each second adds `perSecond`, and as many may come at once.
 *
 * @param acceptedAt when the store accepted the trigger, if it did
 * @param isExcused whether the store may have forgotten the rate in that time
 */
export function wrongRate(
  triggers: readonly Trigger[],
  perSecond: number,
  acceptedAt: (trigger: Trigger) => number | undefined,
  isExcused: (from: number, to: number) => boolean,
): string | undefined {
  const accepted = triggers
    .map((trigger): Accepted => ({ from: trigger.issuedAt, to: acceptedAt(trigger) ?? Infinity }))
    .filter(({ to }) => to < Infinity)
    .toSorted((one, other) => one.to - other.to);
  return tooMany(accepted, perSecond, isExcused) ?? tooFew(triggers, perSecond);
}

/** More were issued and accepted within some time than may be counted in it. */
function tooMany(
  accepted: readonly Accepted[],
  perSecond: number,
  isExcused: (from: number, to: number) => boolean,
): string | undefined {
  for (const [last, { to }] of accepted.entries()) {
    const recent = accepted.slice(Math.max(0, last - 10 * perSecond), last + 1);
    for (const { from } of recent) {
      const count = recent.filter((each) => each.from >= from).length;
      if (count > perSecond * (1 + (to - from) / 1000) && !isExcused(from, to))
        return `${count} triggers were accepted within ${(to - from).toFixed(0)} ms, with a limit of ${perSecond}`;
    }
  }
  return undefined;
}

/** One was refused although too few were counted in the second before it. */
function tooFew(triggers: readonly Trigger[], perSecond: number): string | undefined {
  const counted = triggers.filter(({ outcome }) => outcome !== 'too many');
  for (const { id, issuedAt, answeredAt = Infinity, outcome } of triggers) {
    if (outcome !== 'too many') continue;
    const before = counted.filter(
      (each) => each.issuedAt <= answeredAt && (each.answeredAt ?? Infinity) >= issuedAt - 1000,
    );
    if (before.length < perSecond)
      return `trigger ${id} was refused after ${before.length} within a second, with a limit of ${perSecond}`;
  }
  return undefined;
}
