import { Injectable } from '@nestjs/common';
import { streamText } from 'ai';
import { StreamsService } from 'rookery/channels';

type Model = Parameters<typeof streamText>[0]['model'];

/** What docs/streams.md shows. */
@Injectable()
export class Answers {
  constructor(private readonly streams: StreamsService) {}

  async answer(model: Model, prompt: string): Promise<string> {
    const answer = await this.streams.begin('private-chat-7', 'answer');
    return answer.pipe(streamText({ model, prompt }).textStream);
  }

  async byHand(): Promise<void> {
    const answer = await this.streams.begin('private-chat-7', 'answer', { id: 'message-42' });
    answer.append('To be');
    answer.append(', or not');
    await answer.end(); // or: await answer.fail('The model is overloaded')
  }
}
