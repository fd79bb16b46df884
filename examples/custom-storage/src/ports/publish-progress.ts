import { type HandedOver, type Lane, laneName, type PublishRecord } from 'rookery/publish';

/** What is claimed: a publish, or a range of it. */
export interface Part {
  /** Of a range: the name of its lane. */
  readonly range?: string;
  readonly owner?: string;
  /** When it may be claimed next; while it is held, when its lease ends; absent: it was left for good. */
  readonly dueAt?: number;
}

/** How far a publish is. All that is fenced by its owners is in this document, or is written together with it. */
export interface Progress extends Pick<PublishRecord, 'cancelledAt' | 'finishedAt' | 'lanes'> {
  /** The publish itself comes first. */
  readonly parts: readonly Part[];
  readonly isWanted?: boolean;
}

export const heldBy = ({ parts, finishedAt }: Progress, owner: string): Part | undefined =>
  finishedAt === undefined ? parts.find((part) => part.owner === owner) : undefined;

/** The part that has been due the longest; undefined: none will ever be. */
export const firstDue = ({ parts, finishedAt }: Progress): (Part & { readonly dueAt: number }) | undefined =>
  (finishedAt === undefined ? parts : [])
    .filter((part): part is Part & { readonly dueAt: number } => part.dueAt !== undefined)
    .toSorted((one, other) => one.dueAt - other.dueAt)[0];

export const withPart = (progress: Progress, part: Part): Progress => ({
  ...progress,
  parts: progress.parts.map((each) => (each.range === part.range ? part : each)),
});

export const withLane = (progress: Progress, lane: Lane): Progress => ({
  ...progress,
  lanes: [...progress.lanes.filter((each) => laneName(each) !== laneName(lane)), lane],
});

/** With a range that anybody may claim; whoever asked for one has it. */
export const withRange = (progress: Progress, { lane, dueAt }: HandedOver): Progress => ({
  ...withLane(progress, lane),
  parts: [...progress.parts, { range: laneName(lane), dueAt }],
  isWanted: false,
});

/** Without what the owner held: a range is gone, the publish itself stays until the others have left. */
export function withoutPart(progress: Progress, { range }: Part): Progress {
  if (range === undefined) return withPart(progress, {});
  return { ...progress, parts: progress.parts.filter((part) => part.range !== range) };
}

export const cancelled = (progress: Progress, cancelledAt: number): Progress => ({
  ...progress,
  cancelledAt,
  parts: progress.parts.map((part) =>
    part.owner === undefined && part.dueAt !== undefined ? { ...part, dueAt: cancelledAt } : part,
  ),
});
