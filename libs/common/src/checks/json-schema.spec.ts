import { IsArray, IsBoolean, IsIn } from 'class-validator';
import { expect, it } from 'vitest';
import {
  IsAmount,
  IsCount,
  IsText,
  IsTexts,
  IsWebAddress,
  jsonSchemaOf,
  Nested,
  Open,
  Optional,
  OrNull,
} from '#common';

@Open()
class Hook {
  @IsWebAddress()
  readonly url!: string;
  @Optional()
  @IsArray()
  @IsIn(['a', 'b'], { each: true })
  readonly events?: readonly string[];
}

class Settings {
  @IsText()
  readonly name!: string;
  @IsBoolean()
  readonly enabled: boolean = true;
  @IsCount(1, 9)
  readonly tries: number = 3;
  @IsCount()
  readonly connections: number = Infinity;
  @OrNull()
  @IsAmount(0)
  readonly seconds: number | null = null;
  @Optional()
  @IsTexts()
  readonly headers?: object;
  @Optional()
  @Nested(() => Hook)
  readonly hook?: Hook;
  @Nested(() => Hook, { each: true })
  readonly hooks: readonly Hook[] = [];
}

it('contains the rules and defaults of a class', () => {
  const hook = { $ref: '#/definitions/Hook' };
  expect(jsonSchemaOf(Settings)).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      enabled: { type: 'boolean', default: true },
      tries: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      connections: { type: 'integer', minimum: 0 },
      seconds: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }], default: null },
      headers: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
      hook,
      hooks: { type: 'array', items: hook, default: [] },
    },
    required: ['name'],
    additionalProperties: false,
    definitions: {
      Hook: {
        type: 'object',
        properties: {
          url: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' },
          events: { type: 'array', items: { enum: ['a', 'b'] } },
        },
        required: ['url'],
        additionalProperties: true,
      },
    },
  });
});
