import type { Why, WhySocket } from '../api/contract.js';

/**
 * Those of a user who reconnects again and again are many: connections that had ended before the event are told apart,
 * unless there is only one.
 */
export function folded({ sockets }: Why): {
  readonly shown: readonly WhySocket[];
  readonly ended: readonly WhySocket[];
} {
  const hadEnded = ({ socketId, reason }: WhySocket): boolean => socketId !== null && reason === 'closed_before';
  const ended = sockets.filter(hadEnded);
  if (ended.length < 2) return { shown: sockets, ended: [] };
  return { shown: sockets.filter((socket) => !hadEnded(socket)), ended };
}

/** What is said in place of those. */
export const endedText = (ended: readonly WhySocket[]): string =>
  `${ended.length} earlier connections had ended before the event`;
