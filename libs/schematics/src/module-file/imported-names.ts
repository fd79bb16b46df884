import type ts from 'typescript';
import type { TypeScript } from '../load-typescript.js';
import { type Edit, insertion } from './edit.js';
import type { ExportedName, SourceStyle } from './entry.js';

/** The names that a file imports and declares. */
export class ImportedNames {
  private readonly declarations: readonly ts.ImportDeclaration[];

  constructor(
    private readonly ts: TypeScript,
    private readonly source: ts.SourceFile,
  ) {
    this.declarations = source.statements.filter(ts.isImportDeclaration);
  }

  /** The modules that are imported from. */
  get specifiers(): readonly string[] {
    return this.declarations.map((each) => this.specifierOf(each));
  }

  get last(): ts.ImportDeclaration | undefined {
    return this.declarations.at(-1);
  }

  /** The name that the file has for an export, undefined if it does not import it as a value. */
  localOf({ name, from }: ExportedName): string | undefined {
    for (const { importClause } of this.declarationsOf(from)) {
      const bindings = importClause?.namedBindings;
      if (!bindings || importClause.isTypeOnly || !this.ts.isNamedImports(bindings)) continue;
      const found = bindings.elements.find(
        (each) => !each.isTypeOnly && (each.propertyName ?? each.name).text === name,
      );
      if (found) return found.name.text;
    }
    return undefined;
  }

  /** Whether an expression is this export: by its local name, or as a member of a namespace (`import * as`). */
  is(expression: ts.Node, exported: ExportedName): boolean {
    const { ts } = this;
    if (ts.isIdentifier(expression)) return expression.text === this.localOf(exported);
    return (
      ts.isPropertyAccessExpression(expression) &&
      expression.name.text === exported.name &&
      ts.isIdentifier(expression.expression) &&
      this.namespacesOf(exported.from).includes(expression.expression.text)
    );
  }

  /** The name to use for an export: the one it has, its own, or a longer one where the file has another thing of it. */
  nameFor(exported: ExportedName): string {
    const local = this.localOf(exported);
    if (local !== undefined) return local;
    const { name } = exported;
    return this.isTaken(name) ? `Rookery${name[0]!.toUpperCase()}${name.slice(1)}` : name;
  }

  /** Imports what the file does not import yet: in a statement that it has for the module, otherwise in a new one. */
  importing(names: readonly ExportedName[], style: SourceStyle): readonly Edit[] {
    const missing = names.filter((each) => this.localOf(each) === undefined);
    const modules = [...new Set(missing.map(({ from }) => from))].toSorted(byPlace);
    const statements: string[] = [];
    const edits: Edit[] = [];
    for (const from of modules) {
      const specifiers = [...new Set(missing.filter((each) => each.from === from).map((each) => this.specifier(each)))];
      const present = this.namedImportsOf(from);
      if (present && present.elements.length > 0)
        edits.push(insertion(present.elements.at(-1)!.end, `, ${specifiers.join(', ')}`));
      else statements.push(statementOf(from, specifiers.toSorted(), style));
    }
    return statements.length > 0 ? [...edits, this.afterLast(statements, style)] : edits;
  }

  private afterLast(statements: readonly string[], { newline }: SourceStyle): Edit {
    const { last, source } = this;
    if (!last)
      return insertion(source.statements[0]?.getStart() ?? 0, statements.map((each) => each + newline).join(''));
    const comments = this.ts.getTrailingCommentRanges(source.text, last.end) ?? [];
    return insertion(comments.at(-1)?.end ?? last.end, statements.map((each) => newline + each).join(''));
  }

  private specifier(exported: ExportedName): string {
    const local = this.nameFor(exported);
    return local === exported.name ? local : `${exported.name} as ${local}`;
  }

  private namedImportsOf(from: string): ts.NamedImports | undefined {
    return this.declarationsOf(from)
      .filter(({ importClause }) => !importClause?.isTypeOnly)
      .map(({ importClause }) => importClause?.namedBindings)
      .find((bindings) => bindings !== undefined && this.ts.isNamedImports(bindings));
  }

  private namespacesOf(from: string): readonly string[] {
    return this.declarationsOf(from).flatMap(({ importClause }) => {
      const bindings = importClause?.namedBindings;
      return bindings && this.ts.isNamespaceImport(bindings) ? [bindings.name.text] : [];
    });
  }

  private declarationsOf(from: string): readonly ts.ImportDeclaration[] {
    return this.declarations.filter((each) => this.specifierOf(each) === from);
  }

  private specifierOf({ moduleSpecifier }: ts.ImportDeclaration): string {
    return this.ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  }

  /** Any identifier of the file counts: it costs an alias at most. */
  private isTaken(name: string): boolean {
    const { ts } = this;
    const isNamed = (node: ts.Node): boolean =>
      (ts.isIdentifier(node) && node.text === name) || ts.forEachChild(node, isNamed) === true;
    return isNamed(this.source);
  }
}

/** Packages first, then files of the project. */
const byPlace = (a: string, b: string): number =>
  Number(a.startsWith('.')) - Number(b.startsWith('.')) || a.localeCompare(b);

function statementOf(from: string, specifiers: readonly string[], style: SourceStyle): string {
  const { quote, semicolon, newline, unit } = style;
  const end = `from ${quote}${from}${quote}${semicolon}`;
  const line = `import { ${specifiers.join(', ')} } ${end}`;
  if (line.length <= 80) return line;
  return [`import {`, ...specifiers.map((each) => `${unit}${each},`), `} ${end}`].join(newline);
}
