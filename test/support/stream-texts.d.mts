import type { EventsService } from 'rookery/channels';

export function textOf(stream: number): string;
export function piecesOf(stream: number): readonly string[];
export function channelOf(stream: number): string;
export function streamAll(
  events: Pick<EventsService, 'stream'>,
  streams: readonly number[],
  pauseMs: number,
): Promise<void>;
