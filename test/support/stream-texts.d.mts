import type { StreamsService } from 'rookery/channels';

export function textOf(stream: number): string;
export function piecesOf(stream: number): readonly string[];
export function channelOf(stream: number): string;
export function streamAll(
  service: Pick<StreamsService, 'begin'>,
  streams: readonly number[],
  pauseMs: number,
  partsInTime?: false | ((stream: number, pauseMs: number) => AsyncIterable<object>),
): Promise<void>;
