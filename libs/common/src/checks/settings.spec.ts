import { IsArray, IsBoolean } from 'class-validator';
import { describe, expect, it } from 'vitest';
import {
  checkAsyncOptions,
  IsCount,
  IsRequired,
  IsText,
  Nested,
  Open,
  Optional,
  OrNull,
  settingsOf,
  Without,
} from './index.js';

class Door {
  @IsText()
  readonly name!: string;
  @IsBoolean()
  readonly isOpen: boolean = true;
}

@Open()
class Guest {
  @IsText()
  readonly name!: string;
}

class House {
  @Nested(() => Door, { each: true })
  readonly doors: readonly Door[] = [];
  @Optional()
  @Nested(() => Guest)
  readonly guest?: Guest;
  @OrNull()
  @IsCount(1)
  readonly floors: number | null = 2;
  @Optional()
  @IsRequired()
  readonly bell?: unknown;
  @Optional()
  @IsArray()
  @IsText({ each: true })
  readonly names?: readonly string[];
}

const house = (plain: unknown) => settingsOf(House, plain);
const door = { name: 'front' };

describe('settingsOf', () => {
  it('fills in omitted and undefined settings', () => {
    expect(house({ doors: [door], floors: undefined })).toEqual({
      doors: [{ name: 'front', isOpen: true }],
      floors: 2,
    });
    expect(house({ doors: [door] }).doors[0]).toBeInstanceOf(Door);
    expect(house({ floors: null }).floors).toBeNull();
    expect(house({ floors: Infinity }).floors).toBe(Infinity);
  });

  it('keeps a value without a class of its own unchanged, such as a function or an object of the host', () => {
    class Bell {
      constructor(readonly pitch: number) {}
    }
    for (const bell of [() => 'ding', new Bell(440), new Map([[1, 2]]), Buffer.from('ding'), { constructor: 'x' }, 7])
      expect(house({ bell }).bell).toBe(bell);
  });

  it('reads an object whose fields are getters of its class', () => {
    class Settings {
      get floors(): number {
        return 3;
      }
    }
    expect(house(new Settings()).floors).toBe(3);
  });

  it('keeps unknown fields of an open class', () => {
    expect(house({ guest: { name: 'Alice', hat: 'red' } }).guest).toEqual({ name: 'Alice' });
  });

  it.each([
    '{"__proto__":{"floors":9}}',
    '{"constructor":{"prototype":{"floors":9}}}',
    '{"doors":[{"name":"front","__proto__":{"isOpen":false}}]}',
  ])('lets no name reach a prototype: %s', (json) => {
    expect(() => house(JSON.parse(json))).toThrow(/(__proto__|constructor) is not a setting; known are /);
    expect(({} as { floors?: number }).floors).toBeUndefined();
    expect(house({}).floors).toBe(2);
  });

  it.each([
    [{ door: [] }, 'door is not a setting; known are doors, guest, floors, bell, names'],
    [{ doors: [door, { ...door, isopen: true }] }, 'doors[1].isopen is not a setting; known are name, isOpen'],
    [{ doors: door }, 'doors must be an array, got object'],
    [{ doors: [[]] }, 'doors[0] must be an object, got an array'],
    [{ doors: [door, null] }, 'doors[1] must be an object, got null'],
    [{ doors: [{}] }, 'doors[0].name must be a text that is not empty, got undefined'],
    [{ doors: [{ name: 'the key is under the mat', isOpen: 1 }] }, 'doors[0].isOpen must be true or false, got number'],
    [{ guest: 'Bob' }, 'guest must be an object, got string'],
    [{ guest: [] }, 'guest must be an object, got an array'],
    [{ floors: 0 }, 'floors must be a whole number of at least 1, got 0'],
    [{ floors: 1.5 }, 'floors must be a whole number of at least 1, got 1.5'],
    [{ floors: Number.NaN }, 'floors must be a whole number of at least 1, got NaN'],
    [{ floors: '3' }, 'floors must be a whole number of at least 1, got string'],
    [{ names: ['a', '', 7] }, 'names[1] must be a text that is not empty, got an empty text'],
    [{ names: 7, floors: 0 }, 'floors must be a whole number of at least 1, got 0'],
    [[], 'settings must be an object, got an array'],
    ['floors', 'settings must be an object, got string'],
  ])('refuses %j', (plain, message) => {
    expect(() => house(plain)).toThrow(message);
  });

  it('suggests the line for the host of a module, if the intention is clear', () => {
    const inHost = (plain: object) => () => settingsOf(House, plain, { module: 'HouseModule', ports: ['heating'] });
    expect(inHost({ floor: 1 })).toThrow(
      'HouseModule: floor is not a setting; known are doors, guest, floors, bell, names, heating. Write forRoot({ floors: … })',
    );
    expect(inHost({ doors: [{ ...door, isopen: 1 }] })).toThrow('Write forRoot({ doors: [{ isOpen: … }] })');
    expect(inHost({ Heating: {} })).toThrow('Write forRoot({ heating: … })');
    expect(inHost({ chimney: 1 })).toThrow(/bell, names, heating$/);
    expect(inHost({ heating: {} })).toThrow('write forRootAsync({ useFactory, heating: … })');
  });

  it('names the path of settings in a file', () => {
    expect(() => settingsOf(Door, {}, { path: 'houses[0].door' })).toThrow('houses[0].door.name must be a text');
  });

  it('refuses the fields that a class is without', () => {
    class SmallHouse extends Without(House, 'floors', 'guest') {}
    expect(() => settingsOf(SmallHouse, { floors: 1 })).toThrow(
      'floors is not a setting; known are doors, bell, names',
    );
    expect(settingsOf(SmallHouse, {})).toMatchObject({ doors: [] });
  });
});

describe('checkAsyncOptions', () => {
  const place = { module: 'HouseModule', ports: ['heating', 'imports'] };
  it('accepts the factory, its dependencies, and the ports', () => {
    const options = { useFactory: () => ({}), inject: [], imports: [], heating: {} };
    expect(() => checkAsyncOptions(options, place)).not.toThrow();
  });

  it('refuses settings that would be ignored', () => {
    expect(() => checkAsyncOptions({ useFactory: () => ({}), floors: 1 }, place)).toThrow(
      /^HouseModule: forRootAsync takes no floors beside its factory; known are useFactory, .*heating\./,
    );
  });
});
