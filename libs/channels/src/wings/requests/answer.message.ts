import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import type { FeatureMessageHandler } from '../../events/feature-messages.js';
import { dataOf, type Fields, requiredText } from '../../protocol/client-message.js';
import type { PageAnswer } from './page-question.js';
import { PageQuestions } from './page-questions.js';

const event = 'rookery:answer';

interface AnswerMessage {
  readonly event: typeof event;
  readonly answer: PageAnswer;
}

/** `{"event":"rookery:answer","data":{"id":"…","data":…}}`, or with an `error` in place of the data (channels-wire §17) */
export function readAnswer(frame: Fields): AnswerMessage {
  const fields = dataOf(frame);
  const id = requiredText(fields, 'id');
  if (fields['error'] !== undefined) return { event, answer: { id, error: requiredText(fields, 'error') } };
  return { event, answer: { id, data: fields['data'] ?? null } };
}

/** Takes the answers of pages to what servers asked. */
@Injectable()
export class AnswerMessages implements FeatureMessageHandler<AnswerMessage> {
  readonly event = event;
  readonly read = readAnswer;

  constructor(private readonly pages: PageQuestions) {}

  handle(connection: Connection, { answer }: AnswerMessage): void {
    this.pages.answered(connection, answer);
  }
}
