import { Injectable } from '@nestjs/common';
import type { HostCall, PlatformRequest } from '#http';
import { AuthorizationSettings } from '../authorization.options.js';
import { BeamsTokens } from '../beams-tokens.js';
import { ChannelAuthorizers } from '../channel-authorizers.js';
import { DefaultApp, type SigningApp } from '../default-app.js';
import { forbidden, refusalOf } from '../refused.js';
import { ConcurrentAuthorizations } from '../concurrent-authorizations.js';
import { channelToken, type ChannelToken, type UserToken, userToken } from '../tokens.js';
import { UserAuthenticators } from '../user-authenticators.js';
import { bodyFields, channelsOf, type Fields, queryFields, socketIdOf, textOf } from './fields.js';

/** The answer for each of several channels, in the format of pusher-js's batching plugins. */
export type ChannelAnswer =
  { readonly status: 200; readonly data: ChannelToken } | { readonly status: number; readonly error: string };

/** A client's request and its fields. */
export type Asked = HostCall & { readonly request: PlatformRequest & { body?: unknown } };

/** One of the endpoints. */
export interface Endpoint {
  readonly verb: 'get' | 'post';
  readonly path: string;
  readonly answer: (call: Asked) => Promise<object>;
}

/** The endpoints and their answers. */
@Injectable()
export class AuthorizationEndpoints {
  constructor(
    private readonly authorizers: ChannelAuthorizers,
    private readonly authenticators: UserAuthenticators,
    private readonly beamsTokens: BeamsTokens,
    private readonly defaultApp: DefaultApp,
    private readonly slots: ConcurrentAuthorizations,
    private readonly settings: AuthorizationSettings,
  ) {}

  /** The endpoints backed by some method of the host. */
  get all(): readonly Endpoint[] {
    const { paths } = this.settings;
    const [isAnyChannel, isAnyUser] = [this.authorizers, this.authenticators].map(({ summary }) => summary.length > 0);
    return [
      {
        isThere: isAnyChannel,
        verb: 'post',
        path: paths.channels,
        answer: (call: Asked) => this.channels(call),
      } as const,
      { isThere: isAnyUser, verb: 'post', path: paths.users, answer: (call: Asked) => this.users(call) } as const,
      {
        isThere: isAnyUser && this.beamsTokens.areIssued,
        verb: 'get',
        path: paths.beams,
        answer: (call: Asked) => this.beams(call),
      } as const,
    ].filter(({ isThere }) => isThere);
  }

  /** One channel's token; for an array of channels, the answers by channel name. */
  private async channels(call: Asked): Promise<ChannelToken | Readonly<Record<string, ChannelAnswer>>> {
    const fields = fieldsOf(call);
    const socketId = socketIdOf(fields);
    const asked = channelsOf(fields, this.settings.channelsPerRequest);
    const app = await this.defaultApp.ofRequest(textOf(fields, 'app_key'));
    if (typeof asked === 'string') return this.slots.run(app.app.id, 1, () => this.token(call, app, socketId, asked));
    return this.slots.run(app.app.id, asked.length, () => this.tokens(call, app, socketId, asked));
  }

  /** The token that signs in the application's user. */
  private async users(call: Asked): Promise<UserToken> {
    const fields = fieldsOf(call);
    const socketId = socketIdOf(fields);
    const app = await this.defaultApp.ofRequest(textOf(fields, 'app_key'));
    const user = await this.slots.run(app.app.id, 1, () => this.authenticators.user(call, app.app, socketId));
    return userToken(app, socketId, user);
  }

  /** The token that assigns a device to the application's user (beams-wire §4). */
  private async beams(call: Asked): Promise<{ readonly token: string }> {
    const fields = queryFields(call.request);
    const named = await this.defaultApp.ofRequestIfNamed(textOf(fields, 'app_key'));
    const asked = textOf(fields, 'user_id');
    const { userId } = await this.slots.run(named?.app.id ?? '', 1, () => this.authenticators.user(call, named?.app));
    if (asked !== undefined && asked !== userId) throw forbidden('Signed in as another user');
    return this.beamsTokens.issue(userId);
  }

  private async token(call: HostCall, app: SigningApp, socketId: string, channel: string): Promise<ChannelToken> {
    return channelToken(app, socketId, await this.authorizers.grant(call, app.app, socketId, channel));
  }

  private async tokens(call: HostCall, app: SigningApp, socketId: string, channels: readonly string[]) {
    const answers = channels.map((channel) =>
      this.token(call, app, socketId, channel).then(
        (data): ChannelAnswer => ({ status: 200, data }),
        (error: unknown): ChannelAnswer => {
          const { status, body } = refusalOf(error);
          return { status, error: body.trimEnd() };
        },
      ),
    );
    const pairs = (await Promise.all(answers)).map((answer, i) => [channels[i]!, answer] as const);
    return Object.fromEntries(pairs);
  }
}

/** Reads the request's fields; the host's guards and parameters see its body as on their own routes. */
function fieldsOf({ request }: Asked): Fields {
  const body = bodyFields(request);
  request.body = body;
  return { ...queryFields(request), ...body };
}
