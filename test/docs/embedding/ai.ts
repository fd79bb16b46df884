import { Injectable, Logger } from '@nestjs/common';
import { convertToModelMessages, generateId, streamText, type UIMessage, type UIMessageChunk } from 'ai';
import { type EventStream, StreamsService } from 'rookery/channels';
import { NotificationsService } from 'rookery/notifications';

type Model = Parameters<typeof streamText>[0]['model'];

/** What docs/ai.md shows. */
@Injectable()
export class AiChats {
  private readonly logger = new Logger(AiChats.name);

  constructor(
    private readonly streams: StreamsService,
    private readonly notifications: NotificationsService,
  ) {}

  async answer(model: Model, id: string, messages: UIMessage[]): Promise<{ readonly stream: string }> {
    const answer = await this.streams.begin(`private-chat-${id}`, 'answer');
    const result = streamText({ model, messages: await convertToModelMessages(messages), abortSignal: answer.signal });
    const parts = result.toUIMessageStream({ originalMessages: messages, generateMessageId: generateId });
    answer.pipeParts(parts).catch((error: unknown) => this.logger.error(error));
    return { stream: answer.id };
  }

  async answered(answer: EventStream, parts: ReadableStream<UIMessageChunk>, user: string, id: string): Promise<void> {
    await answer.pipeParts(parts);
    await this.notifications.notify(user, {
      event: { name: 'answered', data: { chat: id } },
      push: { web: { notification: { title: 'Your answer is ready' } } },
      collapseKey: `answer ${id}`,
    });
  }
}
