import { describe, expect, it, vi } from 'vitest';
import type { TransportListener } from '../transport.js';
import type { TransportAnswer } from './answer.js';
import { HttpTransport } from './http.transport.js';

/** What one of the client's requests is answered. */
class TestAnswer implements TransportAnswer {
  text = '';
  isEnded = false;
  isDestroyed = false;
  waitingBytes = 0;

  constructor(private readonly isStream = true) {}

  write(bytes: Buffer): void {
    if (this.isStream) this.text += bytes.toString();
    else this.end(bytes);
  }

  end(bytes?: Buffer): void {
    this.text += bytes?.toString() ?? '';
    this.isEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

function open() {
  const listener = {
    onActivity: vi.fn(),
    inputAddress: '',
    onInputRefused: vi.fn(),
    onHeartbeat: vi.fn(),
    onEcho: vi.fn(),
    onText: vi.fn(),
    onAnswer: vi.fn(),
    onClose: vi.fn(),
    onConfirmed: vi.fn(),
    onGone: vi.fn(),
  } satisfies TransportListener;
  const onOver = vi.fn();
  const transport = new HttpTransport('192.0.2.1', 10, { heartbeatRounds: 3, goneRounds: 2 }, onOver);
  transport.attach(listener);
  const write = (text: string) => transport.write(Buffer.from(text));
  const rounds = (count: number) => {
    for (let i = 0; i < count; i++) transport.round();
  };
  return { transport, listener, onOver, write, rounds };
}

describe('an HTTP transport', () => {
  it.each<[string, (transport: HttpTransport) => void]>([
    ['a request that waits', (transport) => transport.receive(new TestAnswer())],
    ['one in which it says something', (transport) => transport.said(['x'])],
    ['one that asks for a sign of life', (transport) => transport.said([])],
  ])('is confirmed by its second request, once: %s', (_, ask) => {
    const { transport, listener } = open();
    transport.receive(new TestAnswer());
    expect([transport.isConfirmed, listener.onConfirmed.mock.calls]).toEqual([false, []]);
    ask(transport);
    ask(transport);
    expect([transport.isConfirmed, listener.onConfirmed.mock.calls]).toEqual([true, [[]]]);
  });

  it('keeps data in order while no request waits, and opens once', () => {
    const { transport, write } = open();
    const [first, second] = [new TestAnswer(false), new TestAnswer()];
    transport.receive(first);
    expect(first.isEnded).toBe(false);
    for (const text of ['1', '2', '3']) write(text);
    expect(transport.waitingBytes).toBe(2);
    transport.receive(second);
    write('4');
    expect([first.text, second.text, transport.waitingBytes]).toEqual(['o\n1', '234', 0]);
  });

  it('makes a client reconnect when its browser repeats a request whose answer was lost', () => {
    const { transport, listener, write } = open();
    const [first, second, again] = [new TestAnswer(false), new TestAnswer(false), new TestAnswer(false)];
    transport.receive(first, 't=1&n=1');
    write('1');
    transport.receive(second, 't=2&n=2');
    write('2');
    expect(listener.onClose).not.toHaveBeenCalled();
    write('3');
    transport.receive(again, 't=2&n=2');
    transport.close(Buffer.from('4'), 4200, 'Bye');
    // Not what comes after what was lost.
    expect(again.text).toBe('c[4200,"Bye"]\n');
    expect(listener.onClose).toHaveBeenCalledWith(4200, expect.stringContaining('reconnect'));
  });

  it('handles a message once, even if the browser repeats it', () => {
    const { transport, listener } = open();
    for (const mark of ['t=1&n=1', 't=1&n=2', 't=1&n=1', 't=1&n=2', 't=2&n=3']) transport.said([mark], mark);
    for (const text of ['a', 'a']) transport.said([text]);
    expect(listener.onText.mock.calls.flat()).toEqual(['t=1&n=1', 't=1&n=2', 't=2&n=3', 'a', 'a']);
    for (let n = 4; n < 1000; n++) transport.said(['more'], `t=3&n=${n}`);
    transport.said(['late'], 't=3&n=999');
    expect(listener.onText).not.toHaveBeenCalledWith('late');
  });

  it('counts all unread data, including that of older answers', () => {
    const { transport } = open();
    const [first, second] = [new TestAnswer(), new TestAnswer()];
    transport.receive(first);
    transport.receive(second);
    expect(first.isEnded).toBe(true);
    first.waitingBytes = 5;
    second.waitingBytes = 7;
    expect(transport.waitingBytes).toBe(12);
    transport.left(first);
    expect(transport.waitingBytes).toBe(7);
  });

  it('sends the close in the waiting answer, and ends once the client has read it', () => {
    const { transport, onOver } = open();
    const answer = new TestAnswer();
    transport.receive(answer);
    transport.close(Buffer.from('due'), 4200, 'Bye');
    expect(answer).toMatchObject({ text: 'o\nduec[4200,"Bye"]\n', isEnded: true });
    expect(transport.isDestroyed).toBe(false);
    transport.left(answer);
    expect(transport.isDestroyed).toBe(true);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('sends the close to the next request if none waits', () => {
    const { transport, write } = open();
    const [first, second] = [new TestAnswer(false), new TestAnswer(false)];
    transport.receive(first);
    write('1');
    transport.close(undefined, 4200, 'Bye');
    transport.left(first);
    expect(transport.isDestroyed).toBe(false);
    transport.receive(second);
    transport.left(second);
    expect(second.text).toBe('c[4200,"Bye"]\n');
    expect(transport.isDestroyed).toBe(true);
  });

  it('destroys unread answers when it is destroyed', () => {
    const { transport, onOver } = open();
    const answer = new TestAnswer();
    transport.receive(answer);
    transport.close(undefined, 4100, 'Slow');
    transport.destroy();
    transport.destroy();
    expect(answer.isDestroyed).toBe(true);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('considers its client lost if it stops reading a stream, but not if it leaves an ended answer unread', () => {
    const { transport, listener, write } = open();
    const [ended, older, newer] = [new TestAnswer(false), new TestAnswer(), new TestAnswer()];
    transport.receive(ended);
    write('1');
    transport.left(ended);
    transport.receive(older);
    transport.receive(newer);
    transport.left(older);
    expect(listener.onGone).not.toHaveBeenCalled();
    transport.left(newer);
    expect(listener.onGone).toHaveBeenCalledTimes(1);
  });

  it('considers its client lost if data cannot be written and no newer request waits', () => {
    const { transport, listener } = open();
    transport.receive(new TestAnswer());
    transport.aborted();
    expect(listener.onGone).not.toHaveBeenCalled();
    const other = open();
    other.transport.aborted();
    expect(other.listener.onGone).toHaveBeenCalledTimes(1);
  });

  it('considers its client lost after several rounds without a request', () => {
    const { transport, listener, write, rounds } = open();
    const answer = new TestAnswer(false);
    transport.receive(answer);
    rounds(1);
    write('1');
    rounds(1);
    transport.left(answer);
    write('2');
    rounds(1);
    expect(listener.onGone).not.toHaveBeenCalled();
    rounds(1);
    expect(listener.onGone).toHaveBeenCalledTimes(1);
  });

  it('sends data to a long-waiting request, so that no proxy closes it', () => {
    const { transport, rounds } = open();
    const answer = new TestAnswer();
    transport.receive(answer);
    rounds(2);
    expect(answer.text).toBe('');
    rounds(4);
    expect(answer.text).toBe('o\na[]\na[]\n');
  });

  it('reports messages and counts them as activity, and answers an empty array', () => {
    const { transport, listener } = open();
    transport.said(['a', 'b']);
    transport.said([]);
    expect(listener.onText.mock.calls).toEqual([['a'], ['b']]);
    expect(listener.onAnswer.mock.calls).toEqual([[Buffer.from('a[]\n')]]);
    expect(listener.onActivity).toHaveBeenCalledTimes(2);
  });

  it('closes for a message of too many bytes, and reports nothing after it', () => {
    const { transport, listener } = open();
    listener.onClose.mockImplementation(() => transport.stopReading());
    transport.said(['1234567890', 'éééééé', 'b']);
    transport.said(['c']);
    expect(listener.onText.mock.calls).toEqual([['1234567890']]);
    expect(listener.onClose).toHaveBeenCalledExactlyOnceWith(1009, 'Message is too big');
  });

  it('lets messages wait while reading is paused', async () => {
    const { transport, listener } = open();
    await transport.readable();
    listener.onText.mockImplementationOnce(() => transport.pauseReading());
    transport.said(['one', 'two', 'three']);
    let isRead = false;
    const reading = transport.readable().then(() => (isRead = true));
    await Promise.resolve();
    expect(isRead).toBe(false);
    expect(listener.onText.mock.calls).toEqual([['one']]);
    transport.resumeReading();
    await reading;
    expect(listener.onText.mock.calls).toEqual([['one'], ['two'], ['three']]);
  });

  it('forgets messages that wait when the client has gone', () => {
    const { transport, listener } = open();
    listener.onText.mockImplementationOnce(() => transport.pauseReading());
    transport.said(['one', 'two']);
    transport.destroy();
    expect(listener.onText.mock.calls).toEqual([['one']]);
  });
});
