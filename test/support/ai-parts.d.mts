import type { UIMessageChunk } from 'ai';

export function partsOf(stream: number): readonly UIMessageChunk[];
export function partsInTime(stream: number, pauseMs: number): AsyncIterable<UIMessageChunk>;
