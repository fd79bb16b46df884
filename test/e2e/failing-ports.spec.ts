import { expect, it } from 'vitest';
import { MemoryChannelRepository } from 'rookery/channels';
import { overSocket, signed } from '../support/channels-api.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

class Flaky extends MemoryChannelRepository {
  isDown = false;
  override subscribe(appId: string, channel: string): number {
    if (this.isDown) throw new Error('secret: database is down');
    return super.subscribe(appId, channel);
  }
  override subscriptionCount(appId: string, channel: string): number {
    if (this.isDown) throw new Error('secret: database is down');
    return super.subscriptionCount(appId, channel);
  }
}

it('says so, leaves nothing behind and goes on when a port fails in the middle of a subscribe', async () => {
  const repository = new Flaky();
  const server = await startChannels({ apps: [testApp], channelRepository: repository });
  const client = await SocketClient.connect(server.port);

  repository.isDown = true;
  client.sendSubscribe('presence-room', { user_id: 'alice' });
  expect((await client.next('pusher:error')).data).toEqual({ code: null, message: 'Internal server error' });
  expect(await overSocket(server, signed('GET', '/channels/presence-room'))).toMatchObject({
    status: 500,
    text: 'Internal server error\n',
  });
  expect(await overSocket(server, signed('GET', '/channels/presence-room/users'))).toMatchObject({
    text: '{"users":[]}',
  });

  repository.isDown = false;
  expect(await client.subscribe('presence-room', { user_id: 'alice' })).toMatchObject({ presence: { count: 1 } });
  client.close();
  await server.close();
});
