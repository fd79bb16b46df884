import { Logger } from '@nestjs/common';
import { Unavailable } from 'rookery/internal/common';

/**
 * A call, with a number if it needs an answer (otherwise 0); or an answer, with the call's number negated. A failure
 * may be that something is unavailable.
 */
export type Item = Call | Reply;
type Call = readonly [id: number, service: string, method: string, args: readonly unknown[]];
type Reply = readonly [id: number, answer?: unknown, failure?: string, isUnavailable?: boolean];

type Method = (...args: never[]) => unknown;

/** An object whose methods the other side may call. Both sides name it by the same constant, which gives it one type. */
export interface LinkService<Methods> {
  readonly name: string;
  /** Never set: only the type. */
  readonly methods?: Methods;
}

export const linkService = <Methods>(name: string): LinkService<Methods> => ({ name });

type ArgsOf<M> = M extends (...args: infer Args) => unknown ? Args : never;
type AnswerOf<M> = M extends (...args: never[]) => infer Reply ? Awaited<Reply> : never;

interface PendingCall {
  resolve(answer: unknown): void;
  reject(error: Error): void;
  readonly limit: NodeJS.Timeout | undefined;
}

/** The options of a {@link RpcLink}. */
export interface RpcOptions {
  /** The timeout of an answer. @default no limit */
  readonly answerMs?: number;
}

/**
 * Calls between two processes, in both directions. Everything due in a turn of the event loop is one message, because
 * each message costs tens of microseconds, whatever its size. Calls arrive in order, as do synchronous answers.
 *
 * Messages are JSON, which turns `undefined` and `Infinity` into null, so arguments must be neither.
 */
export class RpcLink {
  private readonly logger = new Logger('Workers');
  private readonly services = new Map<string, object>();
  private readonly waiting = new Map<number, PendingCall>();
  private due: Item[] = [];
  private calls = 0;
  private isClosed = false;

  constructor(
    private readonly send: (items: readonly Item[]) => void,
    private readonly options: RpcOptions = {},
  ) {}

  /** Lets the other side call the methods of an object. */
  serve<Methods extends object>({ name }: LinkService<Methods>, methods: Methods): void {
    this.services.set(name, methods);
  }

  /** @throws Unavailable when the other side is gone or takes too long */
  call<Methods, Name extends keyof Methods & string>(
    { name }: LinkService<Methods>,
    method: Name,
    ...args: ArgsOf<Methods[Name]>
  ): Promise<AnswerOf<Methods[Name]>> {
    // The other side serves what the constant says.
    return this.request(name, method, args) as Promise<AnswerOf<Methods[Name]>>;
  }

  /** A call without an answer. */
  notify<Methods, Name extends keyof Methods & string>(
    { name }: LinkService<Methods>,
    method: Name,
    ...args: ArgsOf<Methods[Name]>
  ): void {
    if (!this.isClosed) this.add([0, name, method, args]);
  }

  /** Handles messages of the other side, which may be of another release while the package is being replaced. */
  take(items: unknown): void {
    if (this.isClosed) return;
    for (const item of Array.isArray(items) ? (items as readonly unknown[]) : [items])
      if (isCall(item)) this.called(...item);
      else if (isAnswer(item)) this.answered(item);
      else this.logger.error('Dropped a message of another process that this release cannot read');
  }

  /** The other side is gone. */
  close(): void {
    this.isClosed = true;
    this.due = [];
    for (const id of this.waiting.keys()) this.settle(id)?.reject(gone());
  }

  /** A {@link call} as it travels. */
  request(service: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.isClosed) return Promise.reject(gone());
    return new Promise((resolve, reject) => {
      const id = ++this.calls;
      this.waiting.set(id, { resolve, reject, limit: this.limit(id) });
      this.add([id, service, method, args]);
    });
  }

  private limit(id: number): NodeJS.Timeout | undefined {
    const { answerMs } = this.options;
    return answerMs === undefined ? undefined : setTimeout(() => this.settle(id)?.reject(gone()), answerMs).unref();
  }

  private settle(id: number): PendingCall | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(waiting?.limit);
    return waiting;
  }

  private called(id: number, name: string, method: string, args: readonly unknown[]): void {
    try {
      const service = this.services.get(name) as Readonly<Record<string, Method>> | undefined;
      if (!service) throw new Error(`no service is named ${name}`);
      if (method in Object.prototype) throw new Error(`${name} does not serve ${method}`);
      const answer = service[method]!(...(args as never[]));
      if (answer instanceof Promise)
        void answer.then(
          (value: unknown) => this.answer(id, value),
          (error: unknown) => this.failed(id, error),
        );
      else this.answer(id, answer);
    } catch (error) {
      this.failed(id, error);
    }
  }

  private answer(id: number, value: unknown): void {
    if (id > 0 && !this.isClosed) this.add(value === undefined ? [-id] : [-id, value]);
  }

  private failed(id: number, error: unknown): void {
    if (id === 0) this.logger.error(`A call of another process failed: ${String(error)}`);
    else if (!this.isClosed) {
      const text = error instanceof Error ? error.message : String(error);
      this.add([-id, null, text, error instanceof Unavailable]);
    }
  }

  private answered([id, answer, failure, isUnavailable]: Reply): void {
    const waiting = this.settle(-id);
    if (typeof failure === 'string') waiting?.reject(failureOf(failure, isUnavailable === true));
    else waiting?.resolve(answer);
  }

  private add(item: Item): void {
    if (this.due.push(item) === 1) setImmediate(() => this.flush());
  }

  private flush(): void {
    const { due } = this;
    this.due = [];
    if (due.length > 0) this.send(due);
  }
}

function isCall(item: unknown): item is Call {
  if (!Array.isArray(item)) return false;
  const [id, service, method, args] = item as readonly unknown[];
  return isId(id) && id >= 0 && typeof service === 'string' && typeof method === 'string' && Array.isArray(args);
}

function isAnswer(item: unknown): item is Reply {
  if (!Array.isArray(item)) return false;
  const [id, , failure] = item as readonly unknown[];
  return isId(id) && id < 0 && ['string', 'undefined'].includes(typeof failure);
}

const isId = (id: unknown): id is number => Number.isSafeInteger(id);

const failureOf = (text: string, isUnavailable: boolean): Error =>
  isUnavailable ? new Unavailable('The other process', new Error(text)) : new Error(text);

const gone = (): Unavailable => new Unavailable('The other process');
