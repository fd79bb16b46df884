import { Body, Controller, Get, Logger, Post } from '@nestjs/common';
import { type EventStream, StreamsService } from 'rookery/channels';
import { ask } from './model.js';

interface Question {
  /** The stream of its answer has the same id. */
  readonly id: string;
  readonly question: string;
}

/** Your application would keep questions and finished answers in its database. */
@Controller('questions')
export class Answers {
  private readonly logger = new Logger(Answers.name);
  private readonly questions: Question[] = [];

  constructor(private readonly streams: StreamsService) {}

  @Get()
  all(): readonly Question[] {
    return this.questions;
  }

  @Post()
  async add(@Body('question') question: unknown): Promise<Question> {
    const answer = await this.streams.begin('answers', 'answer');
    const asked = { id: answer.id, question: String(question) };
    this.questions.push(asked);
    // The page need not wait for the answer.
    void this.say(answer, asked.question);
    return asked;
  }

  private async say(answer: EventStream, question: string): Promise<void> {
    try {
      const text = await answer.pipe(await ask(question));
      this.logger.log(`Answered with ${text.length} characters`);
    } catch (error) {
      this.logger.error(error);
      await answer.fail('The model is not available.');
    }
  }
}
