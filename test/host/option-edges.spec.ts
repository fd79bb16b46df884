import type { Type } from '@nestjs/common';
import { Ajv } from 'ajv';
import { validateSync } from 'class-validator';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isObject, jsonSchemaOf } from '#common';
import { built } from '../../libs/common/src/checks/built.js';
import { fieldsOf, type KnownRule, rulesOf } from '../../libs/common/src/checks/known-rules.js';
import { nestedIn, Optional, rule } from '../../libs/common/src/checks/rules.js';

// The edges of every option: absent, undefined, null, exactly at a limit and one beyond. They come from the rules of
// the classes, so a new option is among them.

const libs = join(import.meta.dirname, '../../libs');
const files = readdirSync(libs, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.options.ts') && !path.includes('node_modules'),
);

/** The classes of options, and those of their fields. */
const classes = new Map<string, Type<object>>();
for (const file of files)
  for (const each of Object.values((await import(join(libs, file))) as Record<string, unknown>)) add(each);

function add(each: unknown): void {
  if (typeof each !== 'function') return;
  const of = each as Type<object>;
  if (classes.has(of.name) || fieldsOf(of).length === 0) return;
  classes.set(of.name, of);
  for (const field of fieldsOf(of)) add(nestedIn(of, field));
}

interface Option {
  readonly option: string;
  readonly of: Type<object>;
  readonly field: string;
}

const optionsOf = (of: Type<object>): readonly Option[] =>
  fieldsOf(of).map((field) => ({ option: `${of.name}.${field}`, of, field }));
const options = [...classes.values()].flatMap(optionsOf);

const defaultOf = ({ of, field }: Option): unknown => (new of() as Readonly<Record<string, unknown>>)[field];

/** The rules of the field that refuse its value, whatever the other fields are. */
function refusing({ of, field }: Option, plain: object): readonly string[] {
  const { value } = built(of, plain as Readonly<Record<string, unknown>>);
  const errors = validateSync(value, { forbidUnknownValues: false }).filter(({ property }) => property === field);
  return errors.flatMap(({ constraints = {}, children = [] }) => [
    ...Object.keys(constraints),
    ...(children.length > 0 ? ['nested'] : []),
  ]);
}

const isAccepted = (option: Option, plain: object): boolean => refusing(option, plain).length === 0;

const ajv = new Ajv({ strict: false, validateFormats: false });
const schemas = new Map<Type<object>, ReturnType<typeof ajv.compile>>();

/** Whether an editor accepts the value, whatever the other fields are. */
function isAcceptedByEditors({ of, field }: Option, value: unknown): boolean {
  const { required: _, ...schema } = jsonSchemaOf(of);
  const validate = schemas.get(of) ?? ajv.compile(schema);
  schemas.set(of, validate);
  if (validate({ [field]: value })) return true;
  return !validate.errors!.some(({ instancePath }) => instancePath.split('/')[1] === field);
}

interface Edge {
  readonly rule: string;
  readonly at: unknown;
  readonly beyond: unknown;
}

/** The limits that a rule names, each as a value at it and one beyond. */
function edgesOf({ name = '', each, ...rest }: KnownRule): readonly Edge[] {
  // Rules without limits have none, whatever their type says.
  const [first, second] = ((rest as Partial<KnownRule>).constraints ?? []) as [number, number];
  const made = ((): { at: unknown; beyond: unknown }[] => {
    switch (name) {
      case 'isCount':
        return [
          { at: first, beyond: first - 1 },
          { at: second, beyond: second === Infinity ? Number.NaN : second + 1 },
          { at: first + 1, beyond: first + 0.5 },
        ];
      case 'isAmount':
        return [
          { at: first, beyond: first - 0.001 },
          { at: second, beyond: second === Infinity ? Number.NaN : second + 0.001 },
        ];
      case 'min':
        return [{ at: first, beyond: first - 1 }];
      case 'max':
        return [{ at: first, beyond: first + 1 }];
      case 'maxBytes':
        return [
          { at: 'x'.repeat(first), beyond: 'x'.repeat(first + 1) },
          { at: 'x', beyond: 'é'.repeat(first / 2 + 1) },
        ];
      default:
        return [];
    }
  })();
  const all = made.map(({ at, beyond }) => (each ? { at: [at], beyond: [beyond] } : { at, beyond }));
  return all.map((edge) => ({ ...edge, rule: name }));
}

const limited = options.flatMap((option) => {
  const edges = rulesOf(option.of, option.field).flatMap(edgesOf);
  return edges.length === 0 ? [] : [{ ...option, edges }];
});

it('finds the options of every module', () => {
  expect([...classes.keys()]).toEqual(
    expect.arrayContaining([
      'ChannelsSettings',
      'ChannelsLimits',
      'PublishSettings',
      'App',
      'AppLimits',
      'RedisSettings',
    ]),
  );
  expect(limited.length).toBeGreaterThan(60);
});

it.each(options)('$option keeps its default where it is absent or undefined', (option) => {
  const { of, field } = option;
  for (const plain of [{}, { [field]: undefined }]) {
    const value = (built(of, plain).value as Readonly<Record<string, unknown>>)[field];
    expect(value).toEqual(defaultOf(option));
  }
  const isRequired = defaultOf(option) === undefined && !isAccepted(option, {});
  // What is required absent is so undefined, too.
  expect(isAccepted(option, { [field]: undefined })).toBe(!isRequired);
});

it.each(options)('$option is null only where that is its default', (option) => {
  expect(isAccepted(option, { [option.field]: null })).toBe(defaultOf(option) === null);
});

it.each(options.filter(({ of, field }) => nestedIn(of, field) !== undefined))(
  '$option with nothing in it, or undefined ones, has the defaults of its class',
  ({ of, field }) => {
    const nested = nestedIn(of, field)!;
    const nothing = Object.fromEntries(fieldsOf(nested).map((name) => [name, undefined]));
    for (const given of [{}, nothing]) {
      const value = (built(of, { [field]: given }).value as Readonly<Record<string, unknown>>)[field];
      expect(value).toEqual(new nested());
    }
  },
);

it.each(options)('$option shares no default with another use of its class', (option) => {
  const [one, other] = [defaultOf(option), defaultOf(option)];
  const isShared = one === other && (isObject(one) || Array.isArray(one)) && !Object.isFrozen(one);
  expect(isShared).toBe(false);
});

it.each(limited)('$option accepts each of its limits, and nothing beyond', (option) => {
  expect(wrongAt(option, option.edges)).toEqual([]);
});

/** The edges that the rule, or the schema for editors, takes the other way. Rules about other options may refuse both. */
function wrongAt(option: Option, edges: readonly Edge[]): readonly string[] {
  const wrong: string[] = [];
  const isJson = (value: unknown): boolean => typeof value !== 'number' || Number.isFinite(value);
  for (const { rule: name, at, beyond } of edges) {
    const refused = (value: unknown): boolean => refusing(option, { [option.field]: value }).includes(name);
    if (refused(at)) wrong.push(`${String(at)} is refused`);
    if (!refused(beyond)) wrong.push(`${String(beyond)} is accepted`);
    if (isJson(at) && !isAcceptedByEditors(option, at)) wrong.push(`${String(at)} is refused by editors`);
  }
  return wrong;
}

/** What somebody may write by mistake. */
const odd = [null, 0, -1, 1.5, '', 'x', true, [], [null], [0], [[]], {}, [{}], { x: null }];

/** A value of the class with something in each field. */
function sampleOf(of: Type<object>): object {
  const fields = fieldsOf(of).map((field) => {
    const nested = nestedIn(of, field);
    const isList = rulesOf(of, field).some(({ name }) => name === 'isArray');
    const value = nested ? sampleOf(nested) : 1;
    return [field, defaultOf({ option: field, of, field }) ?? (isList ? [value] : value)] as const;
  });
  return Object.fromEntries(fields);
}

it.each(options)('$option answers any value, whatever the other options are', ({ of, field }) => {
  const nested = nestedIn(of, field);
  const samples = nested ? [sampleOf(nested), [sampleOf(nested)]] : [];
  for (const other of [undefined, null, 0]) {
    const others = Object.fromEntries(fieldsOf(of).map((name) => [name, other]));
    for (const value of [...odd, ...samples])
      expect(() => refusing({ option: '', of, field }, { ...others, [field]: value })).not.toThrow();
  }
});

class Inclusive {
  @Optional()
  @rule('isCount', 'must be a number', (value) => Number(value) > 1 && Number(value) < 10, {}, [1, 10])
  count?: number;
}

class Careless {
  @rule('isShort', 'must be short', (value) => (value as string).length < 3)
  text?: string;
}

it('notices a rule that does not keep the limits that it names', () => {
  const [option] = optionsOf(Inclusive);
  const edges = rulesOf(Inclusive, 'count').flatMap(edgesOf);
  expect(wrongAt(option!, edges)).toEqual(expect.arrayContaining(['1 is refused', '10 is refused']));
});

it('notices a rule that throws', () => {
  const [option] = optionsOf(Careless);
  expect(() => refusing(option!, { text: null })).toThrow(TypeError);
});
