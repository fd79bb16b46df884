import type { Platform, Runner } from '../project.js';

interface SpecOf {
  readonly runner: Runner;
  readonly platform: Platform;
  /** What it imports `channel-access` from. */
  readonly access: string;
}

/** The test of the first authorizer: a server with it, and requests as pusher-js sends them. */
export const channelAccessSpec = ({
  runner,
  platform,
  access,
}: SpecOf): string => `${platform === 'fastify' ? `import { type CanActivate, type ExecutionContext } from '@nestjs/common';\n` : `import { type CanActivate, type ExecutionContext, type INestApplication } from '@nestjs/common';\n`}import { APP_GUARD } from '@nestjs/core';
${platform === 'fastify' ? `import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';\n` : ''}import { Test } from '@nestjs/testing';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
${runner === 'vitest' ? `import { afterAll, beforeAll, describe, expect, it } from 'vitest';\n` : ''}import { ChannelAccess } from '${access}';

/** Stands for your login: requests name their user in a header. */
class TestLogin implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest();
    const id = request.headers['x-user'];
    if (id) request.user = { id };
    return true;
  }
}

describe('ChannelAccess', () => {
  let app: ${platform === 'fastify' ? 'NestFastifyApplication' : 'INestApplication'};

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [{ id: '1', key: 'key', secret: 'secret' }] }),
        AuthorizationModule.forRoot(),
      ],
      providers: [ChannelAccess, { provide: APP_GUARD, useClass: TestLogin }],
    }).compile();
    app = testing.createNestApplication${platform === 'fastify' ? '<NestFastifyApplication>(new FastifyAdapter())' : '()'};
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  /** Asks for a signature, as pusher-js does before it subscribes. */
  const authorize = async (channel: string, user?: string) => {
    const response = await fetch(\`\${await app.getUrl()}/pusher/auth\`, {
      method: 'POST',
      headers: user ? { 'x-user': user } : {},
      body: new URLSearchParams({ socket_id: '1.2', channel_name: channel }),
    });
    return { status: response.status, text: await response.text() };
  };

  it('lets users listen to their own channel', async () => {
    const { status, text } = await authorize('private-user.ann', 'ann');
    expect(status).toBe(200);
    expect(text).toMatch(/"auth":"key:/);
  });

  it('denies the channels of others', async () => {
    expect((await authorize('private-user.ann', 'bob')).status).toBe(403);
  });

  it('denies users who are not logged in', async () => {
    expect((await authorize('private-user.ann')).status).toBe(403);
  });
});
`;
