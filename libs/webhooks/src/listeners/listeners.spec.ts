import { Logger, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { webhookDelivery } from '../webhook-delivery.js';
import { Listeners } from './listeners.js';
import { listensTo } from './listens-to.js';

afterEach(() => vi.useRealTimers());

const elsewhere = { post: async () => ({ outcome: 'accepted' as const }), close: async () => {} };

const listenersOf = (...classes: (new () => object)[]): Promise<Listeners> =>
  listenersIn(classes.map((useClass, i) => ({ provide: `p${i}`, useClass })));

async function listenersIn(providers: Provider[]): Promise<Listeners> {
  const payloads = { opened: (json: string) => ({ said: json }), closed: (json: string) => ({ said: json }) };
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    providers: [Listeners.of(payloads), ...providers],
  }).compile();
  module.useLogger(false);
  await module.init();
  return module.get(Listeners);
}

const deliver = (listeners: Listeners, url: string) =>
  listeners.beside(elsewhere).post(webhookDelivery({ owner: '1', url, headers: {}, body: 'hi' }, Date.now()), 1000);

const heard: unknown[] = [];
beforeEach(() => void heard.splice(0));

class Shop {
  @listensTo('opened', 'door-*')
  opened(payload: object): void {
    heard.push(['Shop', payload]);
  }
}

describe('the listeners of an application', () => {
  it('are named by class and method, and get the events and subjects they want', async () => {
    const listeners = await listenersOf(Shop);
    expect(listeners.urls('opened', 'door-1')).toEqual(['listener:Shop.opened']);
    expect(listeners.urls('opened', 'a door-1')).toEqual([]);
    expect(listeners.urls('closed', 'door-1')).toEqual([]);
  });

  it('match a pattern literally, except for its stars', async () => {
    class Odd {
      @listensTo('opened', 'a.b[*]*c')
      opened(): void {}
    }
    const listeners = await listenersOf(Odd);
    expect(['a.b[1]\nc', 'a.b[]c'].map((subject) => listeners.urls('opened', subject).length)).toEqual([1, 1]);
    expect(['axb[1]c', 'a.b1c', 'a.b[1]cd'].flatMap((subject) => listeners.urls('opened', subject))).toEqual([]);
  });

  it('are called with waiting events', async () => {
    const listeners = await listenersOf(Shop);
    vi.useFakeTimers();
    expect(await deliver(listeners, 'listener:Shop.opened')).toEqual({ outcome: 'accepted' });
    expect(heard).toEqual([['Shop', { said: 'hi' }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are named in a warning if a minifier has shortened their names', async () => {
    class t {
      @listensTo('opened', '*')
      opened(): void {}
    }
    const warn = vi.spyOn(Logger.prototype, 'warn');
    await listenersOf(Shop, t);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^t\.opened: .* keep_classnames: true$/)]]);
  });

  it('are distinguished even if two classes have the same name', async () => {
    const other = (() => {
      class Shop {
        @listensTo('opened', '*')
        opened(): void {
          heard.push('other');
        }
      }
      return Shop;
    })();
    const listeners = await listenersOf(Shop, other);
    expect(listeners.urls('opened', 'door-1')).toEqual(['listener:Shop.opened', 'listener:Shop.opened.2']);
    await deliver(listeners, 'listener:Shop.opened.2');
    expect(heard).toEqual(['other']);
  });

  it('are called once, even if their class is provided twice', async () => {
    expect((await listenersOf(Shop, Shop)).urls('opened', 'door-1')).toEqual(['listener:Shop.opened']);
  });

  it('are called again if they throw, take too long, or belong to another version', async () => {
    class Bad {
      @listensTo('opened', '*')
      async throws(): Promise<void> {
        throw new Error('not now');
      }
      @listensTo('opened', '*')
      async hangs(): Promise<void> {
        await new Promise(() => {});
      }
    }
    const listeners = await listenersOf(Bad);
    expect(await deliver(listeners, 'listener:Bad.throws')).toEqual({ outcome: 'failed', reason: 'Error: not now' });
    vi.useFakeTimers();
    const hanging = deliver(listeners, 'listener:Bad.hangs');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await hanging).toEqual({ outcome: 'failed', reason: 'Error: it took longer than 1000 ms' });
    expect(await deliver(listeners, 'listener:New.opened')).toMatchObject({ outcome: 'failed' });
  });

  it('may be created by a factory, or be a value', async () => {
    class Other {
      @listensTo('opened', '*')
      opened(): void {
        heard.push('other');
      }
    }
    const listeners = await listenersIn([
      { provide: 'made', useFactory: () => new Shop() },
      { provide: 'value', useValue: new Other() },
    ]);
    const urls = listeners.urls('opened', 'door-1');
    expect(urls).toEqual(['listener:Shop.opened', 'listener:Other.opened']);
    for (const url of urls) await deliver(listeners, url);
    expect(heard).toEqual([['Shop', { said: 'hi' }], 'other']);
  });

  it('leave webhooks to the webhook client', async () => {
    expect(await deliver(await listenersOf(), 'https://example.com/')).toEqual({ outcome: 'accepted' });
  });
});
