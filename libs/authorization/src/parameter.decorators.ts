import { createParamDecorator, type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
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
