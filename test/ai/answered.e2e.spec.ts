import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChannelsModule, StreamsService } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, rookeryMatchers, testingApp, testingInstance } from '@rookery/testing';
import '@rookery/testing/vitest';
import { AiChats } from '../docs/embedding/ai.js';
import { partsOf } from '../support/ai-parts.mjs';

expect.extend(rookeryMatchers);

let rookery: RookeryTesting;
beforeAll(async () => {
  const { id, key, secret } = testingApp;
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id, key, secret, history: [{ channels: 'private-chat-*', streams: true }] }] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{ app: id }] }),
    { module: class Host {}, providers: [AiChats] },
  ]);
});
afterAll(() => rookery.close());

async function answer(user: string): Promise<void> {
  const stream = await rookery.get(StreamsService).begin(`private-chat-${user}`, 'answer');
  const parts = new ReadableStream({
    start(controller) {
      for (const part of partsOf(7)) controller.enqueue(part);
      controller.close();
    },
  });
  await rookery.get(AiChats).answered(stream, parts, user, user);
}

it('an answer that is done is shown by an open page, and not pushed', async () => {
  const page = await rookery.connect({ user: { id: 'alice' } });
  await rookery.register({ user: 'alice' });
  await answer('alice');
  await expect(page).toHaveReceivedEvent(
    '#server-to-user-alice',
    'answered',
    expect.objectContaining({ chat: 'alice' }),
  );
  await rookery.clock.advance(60_000);
  await expect(rookery).not.toHaveBeenPushedTo({ user: 'alice' });
});

it('an answer that is done while no page of the user is open is pushed', async () => {
  await rookery.register({ user: 'bob', platform: 'web' });
  await answer('bob');
  await rookery.clock.advance(7000);
  await expect(rookery).toHaveBeenPushedTo(
    { user: 'bob' },
    expect.objectContaining({ notification: { title: 'Your answer is ready' } }),
  );
});
