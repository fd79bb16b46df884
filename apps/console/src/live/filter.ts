import type { Happening, HappeningKind } from '../api/contract.js';

/** What somebody wants to see; what is empty leaves nothing out. */
export interface Filter {
  readonly kinds: readonly HappeningKind[];
  /** A channel, or a pattern of some: `*` is any text. */
  readonly channel: string;
  readonly socketId: string;
}

export const everything: Filter = { kinds: [], channel: '', socketId: '' };

/** Whether a happening is to be seen. */
export function matcherOf({ kinds, channel, socketId }: Filter): (happening: Happening) => boolean {
  const pattern = channel === '' ? undefined : patternOf(channel);
  return (happening) =>
    (kinds.length === 0 || kinds.includes(happening.kind)) &&
    (!pattern || (happening.channel !== undefined && pattern.test(happening.channel))) &&
    (socketId === '' || happening.socketId === socketId);
}

function patternOf(channel: string): RegExp {
  const parts = channel.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
