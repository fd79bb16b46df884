// The texts that tests stream, and their pieces: the same for every process.

const words = ['Fluß', 'naïve', '東京', '😀', '"quoted"', '\\', 'line\nbreak', 'plain', 'words', 'of', 'any', 'kind'];

/** @returns what the stream says in the end */
export const textOf = (stream) => piecesOf(stream).join('');

/** @returns pieces of a few words; some cut a character in two */
export function piecesOf(stream) {
  const text = Array.from({ length: 40 + (stream % 50) }, (_, n) => words[(stream * 7 + n * 5) % words.length]).join(
    ' ',
  );
  const pieces = [];
  for (let at = 0; at < text.length;) {
    const length = 3 + ((stream + at) % 23);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

export const channelOf = (stream) => `chat-${stream % 100}`;

/** Begins streams a little after each other, and appends their pieces, one at a time, or their parts, until all have ended. */
export async function streamAll(service, streams, pauseMs, partsInTime) {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await Promise.all(
    streams.map(async (number) => {
      await pause((number * 37) % (pauseMs * 10));
      const stream = await service.begin(channelOf(number), 'answer', { id: String(number) });
      if (partsInTime) {
        await stream.pipeParts(partsInTime(number, pauseMs));
        return;
      }
      for (const piece of piecesOf(number)) {
        stream.append(piece);
        await pause((pauseMs * (50 + ((number * 13) % 100))) / 100);
      }
      await stream.end();
    }),
  );
}
