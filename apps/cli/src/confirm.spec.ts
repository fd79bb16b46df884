import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { agree, confirm } from './confirm.js';

/** A terminal that answers the question with a line. */
function terminalWith(line: string) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let asked = '';
  stdout.on('data', (text: Buffer) => {
    if (asked === '') stdin.write(`${line}\n`);
    asked += String(text);
  });
  return {
    stdin: Object.assign(stdin, { isTTY: true }),
    stdout: Object.assign(stdout, { isTTY: true }),
    asked: () => asked,
  };
}

it('goes on when the name is typed', async () => {
  const terminal = terminalWith('shop');
  await confirm('Removing app shop', 'shop', {}, terminal);
  expect(terminal.asked()).toContain('Removing app shop cannot be undone. Type shop to go on: ');
});

it.each(['', 'y', 'yes', 'shops'])('stops when %j is typed instead', async (line) => {
  await expect(confirm('Removing app shop', 'shop', {}, terminalWith(line))).rejects.toThrow('Nothing was removed');
});

it('does not ask with --yes', async () => {
  const terminal = terminalWith('no');
  await confirm('Removing app shop', 'shop', { yes: true }, terminal);
  expect(terminal.asked()).toBe('');
});

it('asks for --yes where there is no terminal', async () => {
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough() };
  await expect(confirm('Removing app shop', 'shop', {}, pipes)).rejects.toThrow('pass --yes');
});

const question = () => Promise.resolve('Send it to 3 devices?');
const unasked = () => Promise.reject(new Error('unexpected'));

it.each(['y', 'Yes'])('agrees to a question by %j', async (line) => {
  const terminal = terminalWith(line);
  await agree(question, 'Nothing was sent', {}, unasked, terminal);
  expect(terminal.asked()).toContain('Send it to 3 devices? [y/N]: ');
});

it.each(['', 'n', 'yellow'])('does not agree by %j', async (line) => {
  await expect(agree(question, 'Nothing was sent', {}, unasked, terminalWith(line))).rejects.toThrow(
    'Nothing was sent',
  );
});

it('asks no question with --yes', async () => {
  const terminal = terminalWith('n');
  await agree(unasked, 'Nothing was sent', { yes: true }, unasked, terminal);
  expect(terminal.asked()).toBe('');
});

it('checks a script instead of asking', async () => {
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough() };
  await agree(unasked, 'Nothing was sent', {}, () => Promise.resolve(), pipes);
  const refusal = () => Promise.reject(new Error('pass --yes'));
  await expect(agree(unasked, 'Nothing was sent', {}, refusal, pipes)).rejects.toThrow('pass --yes');
});
