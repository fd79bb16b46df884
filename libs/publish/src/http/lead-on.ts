import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Express and Fastify name it alike. */
interface Answering {
  header(name: string, value: string): unknown;
}

/** Sets where a redirect leads. A function instead of the response, because Fastify's response can be awaited. */
export type LeadOn = (to: string) => void;

export const LeadOn = createParamDecorator((_data: unknown, context: ExecutionContext): LeadOn => {
  const http = context.switchToHttp();
  return (to) => {
    const answer = http.getResponse<Answering>();
    answer.header('Location', to);
    answer.header('Cache-Control', 'no-store');
  };
});
