import {
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { filtered } from '#http';
import { defer, from, isObservable, lastValueFrom, type Observable } from 'rxjs';
import type { ClientMessage } from '../protocol/client-message.js';
import type { SocketContext } from './socket-context.js';

/** The host's enhancers for subscribe, signin and client events. Nest constructs them with their dependencies. */
export interface SocketEnhancerTypes {
  readonly guards?: readonly Type<CanActivate>[];
  readonly interceptors?: readonly Type<NestInterceptor>[];
  readonly pipes?: readonly Type<PipeTransform>[];
  readonly filters?: readonly Type<ExceptionFilter>[];
}

export const socketEnhancerTypes = Symbol('SocketEnhancerTypes');

/** A guard of the host answered false. */
export class ForbiddenBySocketGuard extends Error {
  constructor() {
    super('Forbidden resource');
  }
}

/**
 * Runs the host's guards, interceptors, pipes and filters around a message, in Nest's order. Only the ones registered
 * for Rookery's sockets run, so app-wide enhancers written for HTTP never meet a socket by accident.
 */
@Injectable()
export class SocketEnhancers {
  private guards: readonly CanActivate[] = [];
  private interceptors: readonly NestInterceptor[] = [];
  private pipes: readonly PipeTransform[] = [];
  private filters: readonly ExceptionFilter[] = [];
  /** Whether the host registered none: messages then go straight to their methods. */
  readonly isEmpty: boolean;

  constructor(
    @Inject(socketEnhancerTypes) private readonly types: SocketEnhancerTypes,
    private readonly moduleRef: ModuleRef,
  ) {
    this.isEmpty = Object.values(types).every((list: readonly unknown[] | undefined) => !list || list.length === 0);
  }

  /** Resolves the instances. Called once, when all providers exist. */
  resolve(): void {
    const instances = <T>(types: readonly Type<T>[] = []): T[] =>
      types.map((type) => this.moduleRef.get<T>(type, { strict: false }));
    this.guards = instances(this.types.guards);
    this.interceptors = instances(this.types.interceptors);
    this.pipes = instances(this.types.pipes);
    this.filters = instances(this.types.filters);
  }

  async run(context: SocketContext, work: (message: ClientMessage) => Promise<void>): Promise<void> {
    try {
      for (const guard of this.guards)
        if (!(await settled(guard.canActivate(context)))) throw new ForbiddenBySocketGuard();
      await settled(await this.intercept(context, 0, work));
    } catch (error) {
      await filtered(this.filters, error, context);
    }
  }

  private async intercept(
    context: SocketContext,
    index: number,
    work: (message: ClientMessage) => Promise<void>,
  ): Promise<Observable<unknown>> {
    const interceptor = this.interceptors[index];
    if (!interceptor) return defer(() => from(this.transformed(context).then(work)));
    const next: CallHandler = {
      handle: () => defer(() => from(this.intercept(context, index + 1, work).then((result) => settled(result)))),
    };
    return interceptor.intercept(context, next);
  }

  private async transformed(context: SocketContext): Promise<ClientMessage> {
    let value: unknown = context.seen;
    for (const pipe of this.pipes) value = await pipe.transform(value, { type: 'body' });
    return context.transformed(value as object);
  }
}

async function settled(value: unknown): Promise<unknown> {
  return isObservable(value) ? lastValueFrom(value, { defaultValue: undefined }) : value;
}
