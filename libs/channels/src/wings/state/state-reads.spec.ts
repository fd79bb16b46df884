import { expect, it } from 'vitest';
import { StateReads } from './state-reads.js';

/** Reads that the test answers. */
function answeredByHand(shareMs = 60_000) {
  const state = new StateReads(shareMs, (_, read) => read());
  const answers: { readonly resolve: (texts: string[]) => void; readonly reject: (error: Error) => void }[] = [];
  const ask = () => state.snapshot('', () => new Promise((resolve, reject) => void answers.push({ resolve, reject })));
  const begun = async (count: number) => {
    await expect.poll(() => answers).toHaveLength(count);
  };
  return { state, ask, answers, begun };
}

it('serves 10,000 subscribers of a tick, and those that come while it reads, by one read', async () => {
  const { ask, answers, begun } = answeredByHand();
  const asked = Array.from({ length: 10_000 }, ask);
  await begun(1);
  const later = ask();
  answers[0]!.resolve(['1']);
  for (const each of [...asked, later, ask()]) expect((await each).texts).toEqual(['1']);
  expect(answers).toHaveLength(1);
});

it('serves those that come after an event by a read that begins after it, one for all of them', async () => {
  const { state, ask, answers, begun } = answeredByHand();
  const early = ask();
  await begun(1);
  state.passed('7');
  const late = [ask(), ask()];
  state.passed('8');
  late.push(ask());
  expect(answers).toHaveLength(1);
  answers[0]!.resolve(['1']);
  expect(await early).toEqual({ arrived: '', texts: ['1'] });
  await begun(2);
  answers[1]!.resolve(['2']);
  for (const each of late) expect(await each).toEqual({ arrived: '8', texts: ['2'] });
  expect(answers).toHaveLength(2);
});

it('says which events it contains: those that arrived before it began', async () => {
  const { state, ask, answers, begun } = answeredByHand();
  state.passed('7');
  // Delivered here alone: it is outside of the channel's order.
  state.passed('~');
  const asked = ask();
  await begun(1);
  state.passed('8');
  answers[0]!.resolve([]);
  expect((await asked).arrived).toBe('7');
});

it('reads again after an event, and when events may have been lost', async () => {
  const { state, ask, answers, begun } = answeredByHand();
  const read = async (number: number) => {
    const asked = ask();
    await begun(number);
    answers[number - 1]!.resolve([]);
    return asked;
  };
  await read(1);
  await ask();
  state.passed('7');
  expect((await read(2)).arrived).toBe('7');
  state.lost();
  expect((await read(3)).arrived).toBe('');
});

it('reads again when the last read is too old to be shared', async () => {
  const { ask, answers, begun } = answeredByHand(20);
  const asked = ask();
  await begun(1);
  answers[0]!.resolve([]);
  await asked;
  const readAgain = () => {
    void ask();
    return answers;
  };
  await expect.poll(readAgain).toHaveLength(2);
});

it('fails for those that shared the read, and reads again for the next', async () => {
  const { ask, answers, begun } = answeredByHand();
  const asked = [ask(), ask()];
  await begun(1);
  answers[0]!.reject(new Error('away'));
  for (const each of asked) await expect(each).rejects.toThrow('away');
  const next = ask();
  await begun(2);
  answers[1]!.resolve(['2']);
  expect((await next).texts).toEqual(['2']);
});
