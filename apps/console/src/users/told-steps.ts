import type { Notification, UserPushes } from '../api/contract.js';

interface ToldStep {
  readonly at: number;
  readonly text: string;
}

/** What became of a user's notifications, as steps of the timeline, in no order. */
export const notificationSteps = (notifications: readonly Notification[]): readonly ToldStep[] =>
  notifications.flatMap(({ title, name, at, shownAt, pushedAt, readAt, withdrawnAt }) => {
    const what = `notification ${title ?? name}`;
    const steps: readonly (readonly [at: number | null, verb: string])[] = [
      [at, 'was sent'],
      [shownAt, 'was shown on a page'],
      [pushedAt, 'was pushed'],
      [readAt, 'was read'],
      [withdrawnAt, 'was replaced'],
    ];
    return steps.flatMap(([when, verb]) => (when === null ? [] : [{ at: when, text: `${what} ${verb}` }]));
  });

/** The pushes to a user's devices, as steps of the timeline. */
export const pushSteps = (pushes: UserPushes['pushes']): readonly ToldStep[] =>
  pushes.map(({ at, title, publishId, platform, outcome, reason }) => ({
    at,
    text: `push ${title ?? publishId} to a device (${platform}): ${outcome}${reason === null ? '' : `, ${reason}`}`,
  }));
