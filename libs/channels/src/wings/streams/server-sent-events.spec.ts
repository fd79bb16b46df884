import { expect, it } from 'vitest';
import { cpuMs } from '../../../../../test/support/cpu-time.js';
import { ServerSentEvents } from './server-sent-events.js';

const read = (chunks: readonly string[]): unknown[] => {
  const events = new ServerSentEvents();
  return chunks.flatMap((chunk) => [...events.add(Buffer.from(chunk))]);
};

it.each(['\n', '\r\n', '\r'])('reads events that end in %j, wherever they are cut', (end) => {
  const text = [`data: {"a":`, `data: "ü"}`, '', 'event: x', 'data:[1]', '', 'data: [DONE]', '', ': end', ''].join(end);
  const [whole, single] = [[text], text.split('')];
  for (const chunks of [whole, single, single.flatMap((each) => ['', each])])
    expect(read(chunks)).toEqual([{ a: 'ü' }, [1]]);
});

it('searches a line of many pieces once', async () => {
  const piece = Buffer.alloc(256, 'x');
  const events = new ServerSentEvents();
  const took = await cpuMs(() => {
    for (let n = 0; n < 16_000; n++) expect([...events.add(piece)]).toEqual([]);
  });
  expect([...events.add(Buffer.from('\ndata: 1\n\n'))]).toEqual([1]);
  expect(took).toBeLessThan(2000);
});
