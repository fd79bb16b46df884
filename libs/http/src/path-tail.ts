import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * The decoded end of the path, for routes with `*name`. Unlike a `:name`, it may be longer than the 100 characters that
 * Fastify allows for a parameter, and may contain slashes.
 */
export const PathTail = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<{ params: Record<string, string | string[]> }>();
  if (typeof params['*'] === 'string') return params['*'];
  return Object.values(params).find(Array.isArray)?.join('/') ?? '';
});
