import { Body, Controller, Get, Logger, Param, Post } from '@nestjs/common';
import { convertToModelMessages, generateId, type ModelMessage, stepCountIs, streamText, type UIMessage } from 'ai';
import { StreamsService } from 'rookery/channels';
import { model } from './model.js';
import { tools } from './tools.js';

/** What the transport posts. */
interface Question {
  readonly id: string;
  readonly messages: UIMessage[];
}

/** Your application keeps chats in its database, and validates what clients send. */
@Controller('api/chat')
export class Chats {
  private readonly logger = new Logger(Chats.name);
  private readonly chats = new Map<string, UIMessage[]>();

  constructor(private readonly streams: StreamsService) {}

  @Get(':id')
  messages(@Param('id') id: string): readonly UIMessage[] {
    return this.chats.get(id) ?? [];
  }

  @Post()
  async answer(@Body() { id, messages }: Question): Promise<{ readonly stream: string }> {
    this.chats.set(id, messages);
    const answer = await this.streams.begin(`private-chat-${id}`, 'answer');
    const steered: ModelMessage[] = [];
    answer.onSteer((message) => {
      steered.push({ role: 'user', content: String(message) });
      answer.appendPart({ type: 'data-steered', data: String(message) });
    });
    const result = streamText({
      model,
      tools,
      messages: await convertToModelMessages(messages),
      stopWhen: stepCountIs(5),
      abortSignal: answer.signal,
      prepareStep: ({ messages: so }) => ({ messages: [...so, ...steered] }),
      onError: ({ error }) => this.logger.error(error),
    });
    const parts = result.toUIMessageStream({
      originalMessages: messages,
      generateMessageId: generateId,
      onFinish: ({ messages: all }) => void this.chats.set(id, all),
    });
    // The page reads the answer from the channel.
    answer.pipeParts(parts).catch((error: unknown) => this.logger.error(error));
    return { stream: answer.id };
  }
}
