import { Type } from 'class-transformer';
import { IsArray, IsNumber, IsOptional, IsString, ValidateBy, ValidateNested } from 'class-validator';
import { dataOf, type StandardSchema } from '#events';
import { describe, expect, it } from 'vitest';
import { checkedData } from './checked-data.js';

class Item {
  @IsNumber()
  readonly price!: number;
}

class Order {
  @IsString()
  readonly id!: string;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Item)
  readonly items!: Item[];
  @IsOptional()
  @ValidateBy({
    name: 'isKnown',
    validator: { validate: async (name) => name === 'alice', defaultMessage: () => 'who?' },
  })
  readonly buyer?: string;
}

const order = { id: '7', items: [{ price: 1 }] };

describe('data with the rules of a class', () => {
  it.each([
    ['a plain object', order],
    [
      'an object of the class',
      Object.assign(new Order(), { ...order, items: [Object.assign(new Item(), { price: 1 })] }),
    ],
    ['what a rule answers later', { ...order, buyer: 'alice' }],
  ])('is what was given: %s', async (_, data) => expect(await checkedData(Order, data)).toBe(data));

  it.each([
    [{ ...order, id: 7 }, 'data.id: id must be a string'],
    [{ ...order, items: [{ price: 1 }, { price: '1' }] }, /^data\.items\[1\]\.price: price must be a number/],
    [{ ...order, items: [{ price: 1, cost: 1 }] }, 'data.items[0].cost: property cost should not exist'],
    [{ ...order, passwordHash: 'x' }, 'data.passwordHash: property passwordHash should not exist'],
    [{ ...order, items: [1] }, /^data\.items/],
    [{ ...order, items: undefined }, /^data\.items: /],
    [{ ...order, buyer: 'mallory' }, 'data.buyer: who?'],
    [Object.assign(new Order(), { ...order, id: 7 }), 'data.id: id must be a string'],
    ['7', 'data: must be an object'],
    [[order], 'data: must be an object'],
    [null, 'data: must be an object'],
    [undefined, 'data: must be an object'],
  ])('is refused with the path of the fault: %j', async (data, message) => {
    await expect(checkedData(Order, data)).rejects.toThrow(message);
  });

  it('refuses fields without a rule', async () => {
    class Nothing {}
    expect(await checkedData(Nothing, {})).toEqual({});
    await expect(checkedData(Nothing, { id: 1 })).rejects.toThrow('data.id: ');
  });
});

describe('data with a Standard Schema', () => {
  const schema = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  });

  it('is transformed by the schema, synchronously or asynchronously', async () => {
    expect(
      await checkedData(
        schema((value) => ({ value: [value] })),
        7,
      ),
    ).toEqual([7]);
    expect(
      await checkedData(
        schema(async (value) => ({ value: [value] })),
        7,
      ),
    ).toEqual([7]);
    expect(await checkedData(dataOf<string>(), 'any')).toBe('any');
  });

  it('may be a function', async () => {
    const callable = Object.assign(
      () => {},
      schema(() => ({ value: 'made' })),
    );
    expect(await checkedData(callable, 7)).toBe('made');
  });

  it.each([
    [undefined, 'data: is wrong'],
    [['items', 0, { key: 'price' }], 'data.items[0].price: is wrong'],
    [[Symbol.for('id')], 'data.Symbol(id): is wrong'],
  ])('is refused with the path of the first fault: %j', async (path, message) => {
    const issues = [{ message: 'is wrong', path }, { message: 'is wrong too' }];
    await expect(
      checkedData(
        schema(() => ({ issues })),
        7,
      ),
    ).rejects.toThrow(message);
    await expect(
      checkedData(
        schema(async () => ({ issues })),
        7,
      ),
    ).rejects.toThrow(message);
  });
});
