import type { Type } from '@nestjs/common';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { fieldsOf, rulesOf } from '../../libs/common/src/checks/known-rules.js';
import { nestedIn } from '../../libs/common/src/checks/rules.js';
import { type JsonSchema, jsonSchemaOf } from '#common';

/** One option: where it stands in the configuration file, and what its class says of it. */
export interface OptionRow {
  /** Such as `apps[].webhooks[].url`. */
  readonly path: string;
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
}

interface Said {
  readonly meaning: string;
  readonly default?: string;
}

interface KnownClass {
  readonly fields: ReadonlyMap<string, Said>;
  /** The class that it extends. */
  readonly bases: readonly string[];
}

/** What the sources say of the fields of classes, in their comments: not what was built of earlier ones. */
export class Comments {
  private readonly classes = new Map<string, KnownClass>();

  constructor(root: string, folders: readonly string[]) {
    for (const folder of folders)
      for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
        if (/(?<!\.d|\.spec)\.ts$/.test(name)) this.read(join(root, folder, name));
  }

  of(className: string, field: string): Said | undefined {
    const known = this.classes.get(className);
    return known?.fields.get(field) ?? known?.bases.map((base) => this.of(base, field)).find((each) => each);
  }

  private read(path: string): void {
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    source.forEachChild((node) => {
      if (ts.isClassDeclaration(node) && node.name) this.classes.set(node.name.text, knownClass(node));
    });
  }
}

const knownClass = (node: ts.ClassDeclaration): KnownClass => ({
  fields: new Map(
    node.members.flatMap((member) => {
      const said = member.name && saidOf(member);
      return said ? [[member.name.getText(), said] as const] : [];
    }),
  ),
  bases: (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap((type) => type.getText().match(/\b[A-Z]\w+/g) ?? []),
  ),
});

function saidOf(member: ts.ClassElement): Said | undefined {
  const [doc] = ts.getJSDocCommentsAndTags(member).filter((each) => ts.isJSDoc(each));
  if (!doc) return undefined;
  const text = (comment: ts.JSDoc['comment']): string =>
    (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ').trim();
  const tag = doc.tags?.find(({ tagName }) => tagName.text === 'default');
  return { meaning: text(doc.comment), ...(tag && { default: text(tag.comment) }) };
}

/** All options of a class, those of the classes in it after the one that holds them. */
export function optionRows(of: Type<object>, comments: Comments, before = ''): OptionRow[] {
  const defaults = new of() as Readonly<Record<string, unknown>>;
  const { properties } = jsonSchemaOf(of) as { readonly properties: Readonly<Record<string, JsonSchema>> };
  // A field that a class overrides stands where its base has it.
  const order = Object.keys(defaults);
  const fields = fieldsOf(of).toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return fields.flatMap((name) => {
    const nested = nestedIn(of, name);
    const isList = rulesOf(of, name).some((rule) => (rule.name ?? rule.type) === 'isArray');
    const path = `${before}${name}${isList && nested ? '[]' : ''}`;
    const said = comments.of(of.name, name);
    const row = {
      path,
      type: nested ? (isList ? 'list' : 'object') : typeOf(properties[name]!),
      default:
        said?.default ??
        shownDefault(
          defaults[name],
          rulesOf(of, name).some(({ type }) => type === 'conditionalValidation'),
        ),
      meaning: said?.meaning ?? '',
    };
    return [row, ...(nested ? optionRows(nested, comments, `${path}.`) : [])];
  });
}

function typeOf(schema: JsonSchema): string {
  const {
    type,
    enum: values,
    anyOf,
    items,
  } = schema as {
    type?: string;
    enum?: readonly unknown[];
    anyOf?: readonly JsonSchema[];
    items?: JsonSchema;
  };
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (type === 'array') return `list of ${items && Object.keys(items).length > 0 ? typeOf(items) : 'values'}`;
  return { string: 'text' }[type ?? ''] ?? type ?? 'text';
}

function shownDefault(value: unknown, mayBeAbsent: boolean): string {
  if (value === undefined) return mayBeAbsent ? 'none' : 'required';
  if (value === Infinity) return '`Infinity`';
  if (value === null) return '`null`';
  if (typeof value === 'object' && !Array.isArray(value)) return 'as below';
  return `\`${JSON.stringify(value)}\``;
}
