/** The parts of pusher-js in use. */
export interface AnsweringClient {
  bind(event: string, callback: (data: never) => void): unknown;
  unbind(event: string, callback: (data: never) => void): unknown;
  send_event(event: string, data: unknown): boolean;
}

interface Question {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}

/**
 * Answers what the server asks pages (`ClientsService.ask`): `answer(pusher, 'confirm', ({ text }) => confirm(text))`. What
 * the handler returns is the answer; the message of what it throws, or rejects with, is the server's error. The first page
 * of a user that answers is heard.
 *
 * @returns stops answering
 */
export function answer<Data = Readonly<Record<string, unknown>>>(
  client: AnsweringClient,
  name: string,
  handler: (data: Data) => unknown,
): () => void {
  const asked = async ({ id, name: askedFor, data }: Question): Promise<void> => {
    if (askedFor !== name) return;
    try {
      // The data is the application's own.
      client.send_event('rookery:answer', { id, data: (await handler(data as Data)) ?? null });
    } catch (error) {
      client.send_event('rookery:answer', { id, error: error instanceof Error ? error.message : String(error) });
    }
  };
  const callback = (question: Question): void => void asked(question);
  client.bind('rookery:ask', callback);
  return () => void client.unbind('rookery:ask', callback);
}
