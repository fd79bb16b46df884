import { jsonSchema, tool } from 'ai';
import { setTimeout as delay } from 'node:timers/promises';

const { TOKEN_MS = '60' } = process.env;

export const tools = {
  readBook: tool({
    description: 'Reads a book, which takes a while',
    inputSchema: jsonSchema<{ readonly title: string }>({
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    }),
    execute: ({ title }, { abortSignal }) => delay(Number(TOKEN_MS) * 20, `has read ${title}`, { signal: abortSignal }),
  }),
  takeTwig: tool({
    description: 'Takes a twig from the nest of a neighbour',
    inputSchema: jsonSchema<{ readonly neighbour: string }>({
      type: 'object',
      properties: { neighbour: { type: 'string' } },
      required: ['neighbour'],
    }),
    needsApproval: true,
    execute: ({ neighbour }) => ({ twig: `a twig of ${neighbour}` }),
  }),
};
