import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UnfinishedInput, type UnfinishedOwner } from '#http';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([1, 200, 10_000])(
  'makes room for many at once while it is full, with the clients of %i networks',
  (networks) => {
    const input = new UnfinishedInput();
    input.limit({ most: 10_000_000, patienceMs: 60_000 });
    let refused = 0;
    const clients = Array.from({ length: 10_000 }, (_, n) => ({
      inputAddress: `1.${(n % networks) >> 8}.0.${(n % networks) & 255}`,
      refuseInput: () => void (refused += 1),
    }));
    for (const client of clients) input.hold(client, 1000);
    let madeRoom = 0;
    for (const client of clients.slice(0, 2000)) {
      const before = refused;
      input.hold(client, 17_000);
      if (refused > before) madeRoom += 1;
      expect(input.bytes).toBeLessThanOrEqual(input.most);
    }
    // All clients are looked through each time.
    expect(madeRoom).toBeLessThan(2000 / 30);
  },
);

class Client implements UnfinishedOwner {
  isRefused = false;
  isLate = false;
  constructor(readonly inputAddress: string) {}
  refuseInput = (): void => void (this.isRefused = true);
  inputIsLate = (): void => void (this.isLate = true);
}

it('refuses the largest input of the network that holds most, until the rest fits', () => {
  const input = new UnfinishedInput();
  input.limit({ most: 1000, patienceMs: 60_000 });
  const large = new Client('1.0.0.1');
  input.hold(large, 300);
  const many = Array.from({ length: 8 }, () => new Client('1.0.0.2'));
  many.forEach((client, n) => input.hold(client, 80 + n));
  expect(input.bytes).toBe(968);
  const [newest, unknown] = [new Client('1.0.0.3'), new Client('10.0.0.1')];
  input.hold(newest, 50);
  input.hold(unknown, 60);
  expect([large, newest, unknown].map(({ isRefused }) => isRefused)).toEqual([false, false, false]);
  expect(many.map(({ isRefused }) => isRefused)).toEqual([...Array<boolean>(7).fill(false), true]);
  expect(input.bytes).toBe(968 + 110 - 87);
});

it('calls a message late that was not complete in time, but not a client that sends one after the other', () => {
  const input = new UnfinishedInput();
  const [slow, busy] = [new Client('1.0.0.1'), new Client('1.0.0.1')];
  for (let second = 0; second < 62; second++) {
    input.hold(slow, second + 1);
    input.hold(busy, 10, true);
    vi.advanceTimersByTime(1000);
  }
  expect([slow.isLate, busy.isLate]).toEqual([true, false]);
  input.hold(slow, 0);
  input.hold(busy, 0);
  expect([input.bytes, vi.getTimerCount()]).toEqual([0, 0]);
});

it('has the limits of the latest application, until that has closed', () => {
  const input = new UnfinishedInput();
  const ends = [1000, 2000].map((most) => input.limit({ most, patienceMs: most }));
  expect([input.most, input.patienceMs]).toEqual([2000, 2000]);
  ends[0]!();
  ends[0]!();
  expect(input.most).toBe(2000);
  ends[1]!();
  expect(input.most).toBe(new UnfinishedInput().most);
});
