import {
  BadRequestException,
  createParamDecorator,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { checkedData, type DataDefinition } from 'rookery/internal/channels';
import { questionIn } from './question.js';

type Pipe = PipeTransform | Type<PipeTransform>;

// Written with types that exist in both Nest 11 and 12, where createParamDecorator's type differs.
type NamedParameter = (name?: string, ...pipes: Pipe[]) => ParameterDecorator;

/**
 * A parameter of the channel's pattern: `@ChannelParam('orderId', ParseIntPipe) id: number`. Without a name, all of them.
 *
 * @throws Error when the pattern has no such parameter
 */
export const ChannelParam: NamedParameter = createParamDecorator(
  (name: string | undefined, context: ExecutionContext) => {
    const params = questionIn(context).channel?.params ?? {};
    if (name === undefined) return params;
    if (!Object.hasOwn(params, name))
      throw new Error(`@ChannelParam('${name}'): the pattern of the channel has no {${name}}`);
    return params[name];
  },
);

/** The name of the channel. */
export const ChannelName = createParamDecorator((_: unknown, context) => questionIn(context).channel?.name);

/** The socket id of the requesting connection. */
export const SocketId = createParamDecorator((_: unknown, context) => questionIn(context).socketId);

/** The app of the connection. */
export const ChannelsApp = createParamDecorator((_: unknown, context) => questionIn(context).app);

/**
 * The `request.user` set by the host's guards, or a field of it: `@CurrentUser('id')`. For hosts without such a
 * decorator.
 */
export const CurrentUser: NamedParameter = createParamDecorator(
  (field: string | undefined, context: ExecutionContext) => {
    const { user } = context.switchToHttp().getRequest<{ readonly user?: Readonly<Record<string, unknown>> }>();
    return field === undefined ? user : user?.[field];
  },
);

const body: NamedParameter = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<{ readonly body?: unknown }>().body,
);

/**
 * The data of a client's request (`@OnRequest()`), checked by the rules of a class with class-validator, or by a Standard
 * Schema: `@RequestBody(MoveDto) move: MoveDto`. Wrong data is a 400 that names the first fault; fields without a rule are
 * wrong.
 */
export const RequestBody = (rules: DataDefinition): ParameterDecorator =>
  body(undefined, {
    transform: (data: unknown) =>
      checkedData(rules, data).catch((error: Error) => {
        throw new BadRequestException(error.message);
      }),
  });
