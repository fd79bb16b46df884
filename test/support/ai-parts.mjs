// The parts of answers that tests stream: the same for every process.
import { piecesOf } from './stream-texts.mjs';

/** @returns chunks of Vercel's AI SDK, of all kinds */
export function partsOf(stream) {
  const [thought, ...texts] = piecesOf(stream);
  const toolCallId = `call-${stream}`;
  const input = { path: `notes "${stream}".txt`, isForced: null };
  return [
    { type: 'start', messageId: `message-${stream}` },
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: thought },
    { type: 'reasoning-end', id: 'r' },
    { type: 'tool-input-start', toolCallId, toolName: 'deleteFile' },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName: 'deleteFile', input },
    { type: 'tool-approval-request', approvalId: `approval-${stream}`, toolCallId },
    { type: 'tool-output-available', toolCallId, output: { lines: ['a\nb', '\u2028', stream / 7] } },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'data-progress', id: 'p', data: { done: [stream, stream + 1] } },
    { type: 'text-start', id: 't' },
    ...texts.map((delta) => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ];
}

/** A source of these parts, a little after each other. */
export async function* partsInTime(stream, pauseMs) {
  for (const part of partsOf(stream)) {
    yield part;
    await new Promise((resolve) => setTimeout(resolve, (pauseMs * (50 + ((stream * 13) % 100))) / 100));
  }
}
