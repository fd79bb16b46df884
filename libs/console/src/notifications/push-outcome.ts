import type { PublishStatus } from 'rookery/publish';
import type { PushOutcome } from '../contract/index.js';

/** The outcome of a publish, with the first thing that went wrong. */
export function outcomeOf({ state, platforms }: PublishStatus): PushOutcome {
  const parts = Object.values(platforms);
  const sum = (count: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((all, part) => all + count(part), 0);
  const reasons = parts.flatMap(({ failed }) => Object.entries(failed));
  const [mostFrequent] = reasons.toSorted(([, one], [, other]) => other - one);
  return {
    isDone: state === 'finished' || state === 'cancelled',
    devices: sum(({ audience }) => audience),
    sent: sum(({ sent }) => sent),
    failed: reasons.reduce((all, [, count]) => all + count, 0),
    why: parts.find(({ fault }) => fault !== undefined)?.fault ?? mostFrequent?.[0] ?? waitingFor(parts),
  };
}

const waitingFor = (parts: readonly { readonly explanations?: readonly { readonly reason: string }[] }[]) =>
  parts.flatMap(({ explanations = [] }) => explanations)[0]?.reason ?? null;
