import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Apps, ChannelsSettings, SocketAuthorizer } from 'rookery/channels';
import { byForRoot, configurable, importedOnce, required } from '#common';
import { CallingModule, HostMethods, PathPrefixes } from '#http';
import { AuthorizationSettings } from './authorization.options.js';
import { BeamsTokens } from './beams-tokens.js';
import { ChannelAuthorizers } from './channel-authorizers.js';
import { DefaultApp } from './default-app.js';
import { HostSocketAuthorizer } from './host-socket-authorizer.js';
import { AuthorizationEndpoints } from './http/authorization-endpoints.js';
import { AuthorizationRoutes } from './http/authorization.routes.js';
import { ConcurrentAuthorizations } from './concurrent-authorizations.js';
import { UserAuthenticators } from './user-authenticators.js';

const missing =
  'AuthorizationModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';

/** An application's auth endpoints, answered by methods of its own providers. Import ChannelsModule as well. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    importedOnce('AuthorizationModule', 'forRoot()'),
    ...byForRoot('AuthorizationModule.forRoot()', [AuthorizationSettings]),
    ...required({ missing, services: [Apps, ChannelsSettings] }),
    DefaultApp,
    {
      provide: CallingModule,
      inject: [AuthorizationSettings],
      useFactory: ({ globalInterceptors }: AuthorizationSettings) =>
        new CallingModule('AuthorizationModule', 'isAuthorizer(context)', globalInterceptors),
    },
    HostMethods,
    ChannelAuthorizers,
    UserAuthenticators,
    BeamsTokens.provider,
    ConcurrentAuthorizations,
    HostSocketAuthorizer,
    { provide: SocketAuthorizer, useExisting: HostSocketAuthorizer },
    AuthorizationEndpoints,
    PathPrefixes.of(AuthorizationSettings),
    AuthorizationRoutes,
  ],
  exports: [SocketAuthorizer],
})
export class AuthorizationModule
  extends configurable({ name: 'AuthorizationModule', settings: AuthorizationSettings })
  implements NestModule, OnModuleInit
{
  private readonly logger = new Logger(AuthorizationModule.name);

  constructor(
    private readonly authorizers: ChannelAuthorizers,
    private readonly authenticators: UserAuthenticators,
    private readonly endpoints: AuthorizationEndpoints,
    private readonly routes: AuthorizationRoutes,
    private readonly settings: AuthorizationSettings,
  ) {
    super();
  }

  configure(): void {
    for (const endpoint of this.endpoints.all) this.routes.readBody(endpoint);
  }

  async onModuleInit(): Promise<void> {
    const { authorizers, authenticators, routes } = this;
    const endpoints = this.endpoints.all;
    if (endpoints.length === 0)
      throw new Error(
        'AuthorizationModule: no provider has a method with @ChannelAuthorizer() or @UserAuthenticator()',
      );
    if (this.settings.authorizeOnSubscribe && authenticators.summary.length === 0)
      throw new Error(
        'AuthorizationModule: authorizeOnSubscribe needs a method with @UserAuthenticator(), which identifies the user',
      );
    for (const endpoint of endpoints) routes.serve(endpoint);
    const paths = endpoints.map(({ path }) => routes.full(path)).join(', ');
    const methods = [...authorizers.summary, ...authenticators.summary].join(', ');
    this.logger.log(`${routes.areServed ? `Serves ${paths}` : 'Serves no HTTP'}; ${methods}`);
    for (const each of await authorizers.useless()) this.logger.warn(each);
  }
}
