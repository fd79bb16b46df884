import type ts from 'typescript';
import type { TypeScript } from '../load-typescript.js';
import { ProjectError } from '../project-error.js';
import { edited, type Edit } from './edit.js';
import { entryText, type ExportedName, type ModuleEntry, type SourceStyle } from './entry.js';
import { ImportedNames } from './imported-names.js';
import { appended, indentAt, type List } from './list-edits.js';

const moduleDecorator: ExportedName = { name: 'Module', from: '@nestjs/common' };

type ListName = ModuleEntry['list'];
type ElementsMade = (indent: string) => readonly string[];

/** A file with the root module of an application: `@Module({ … }) export class AppModule {}`. */
export class ModuleFile {
  private readonly source: ts.SourceFile;
  private readonly names: ImportedNames;
  private readonly decorator: ts.CallExpression;

  /** @throws ProjectError if it is not TypeScript, or has not one root module */
  constructor(
    private readonly ts: TypeScript,
    private readonly path: string,
    private readonly text: string,
  ) {
    this.source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    this.checkSyntax();
    this.names = new ImportedNames(ts, this.source);
    this.decorator = this.rootModule();
  }

  /** The modules and files that it imports from. */
  get specifiers(): readonly string[] {
    return this.names.specifiers;
  }

  get quote(): string {
    const { last } = this.names;
    return last?.moduleSpecifier.getText().startsWith('"') ? '"' : "'";
  }

  /**
   * Whether the file has an entry already, in whatever form.
   * @throws ProjectError if a module is in `imports` without a call such as `forRoot`
   */
  has(entry: ModuleEntry): boolean {
    const { ts } = this;
    const uses = this.usesOf(entry);
    if (entry.list === 'providers') return uses.length > 0;
    const isCalled = (use: ts.Node): boolean =>
      ts.isPropertyAccessExpression(use.parent) && use.parent.expression === use;
    if (uses.some(isCalled)) return true;
    const elements = this.arrayOf('imports')?.elements.map((each) => this.unwrapped(each)) ?? [];
    const bare = uses.find((use) => elements.some((element) => element === use));
    if (!bare) return false;
    throw new ProjectError(
      `${this.place(bare)}: ${entry.name} is imported without .forRoot(). Write ` +
        entryText(entry, (name) => name, '', this.style()),
    );
  }

  /**
   * The file with these entries at the end of their lists, and their imports.
   * @throws ProjectError if a list is not written in this file
   */
  with(entries: readonly ModuleEntry[]): string {
    const names = entries.flatMap((entry) => [entry, ...(entry.uses ?? [])]);
    const style = this.style();
    const properties: ((indent: string) => string)[] = [];
    const edits: Edit[] = [...this.names.importing(names, style)];
    for (const list of ['imports', 'providers'] as const) {
      const added = entries.filter((entry) => entry.list === list);
      if (added.length === 0) continue;
      const local = this.localNames(names);
      const made: ElementsMade = (indent) => added.map((entry) => entryText(entry, local, indent, style));
      if (this.property(list)) edits.push(...this.appendedTo(list, made, entries, style));
      else properties.push((indent) => `${list}: ${this.newArray(made, indent, list, style)}`);
    }
    if (properties.length > 0) edits.push(...this.withProperties(properties, entries, style));
    return edited(this.text, edits);
  }

  private appendedTo(
    list: ListName,
    made: ElementsMade,
    entries: readonly ModuleEntry[],
    style: SourceStyle,
  ): readonly Edit[] {
    const array = this.arrayOf(list);
    if (!array) throw this.unreadable(`the list "${list}" is not written in this file`, this.decorator, entries);
    return appended(this.text, this.listOf(array, array.elements), made, style);
  }

  private withProperties(
    properties: readonly ((indent: string) => string)[],
    entries: readonly ModuleEntry[],
    style: SourceStyle,
  ): readonly Edit[] {
    const made: ElementsMade = (indent) => properties.map((each) => each(indent));
    const [argument] = this.decorator.arguments;
    if (!argument) {
      const at = this.decorator.end - 1;
      const indent = indentAt(this.text, at);
      const { newline, unit } = style;
      const lines = made(indent + unit).map((each) => `${newline}${indent}${unit}${each},`);
      return [{ start: at, end: at, text: `{${lines.join('')}${newline}${indent}}` }];
    }
    const object = this.metadata();
    if (!object) throw this.unreadable('the argument of @Module() is not written in this file', argument, entries);
    // What is spread may have the same property, which a new one would replace.
    if (object.properties.some(this.ts.isSpreadAssignment))
      throw this.unreadable('@Module() spreads an object that may have the same lists', object, entries);
    return appended(this.text, this.listOf(object, object.properties), made, style);
  }

  private newArray(made: ElementsMade, indent: string, list: ListName, { newline, unit }: SourceStyle): string {
    const line = made(indent).join(', ');
    if (!line.includes('\n') && indent.length + list.length + line.length + 5 <= 80) return `[${line}]`;
    const lines = made(indent + unit).map((each) => `${newline}${indent}${unit}${each},`);
    return `[${lines.join('')}${newline}${indent}]`;
  }

  private listOf(bracketed: ts.Node, elements: ts.NodeArray<ts.Node>): List {
    return {
      start: bracketed.getStart() + 1,
      end: bracketed.end - 1,
      elements: elements.map((each) => ({ start: each.getStart(), end: each.end })),
      hasTrailingComma: elements.hasTrailingComma ?? false,
    };
  }

  /** Answers the text itself for names that are not imported here, such as those of properties. */
  private localNames(names: readonly ExportedName[]): (name: string) => string {
    const locals = new Map(names.map((each) => [each.name, this.names.nameFor(each)]));
    return (name) => locals.get(name) ?? name;
  }

  private usesOf(exported: ExportedName): readonly ts.Node[] {
    const { ts } = this;
    const found: ts.Node[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) return;
      if (this.names.is(node, exported)) found.push(node);
      else ts.forEachChild(node, visit);
    };
    visit(this.source);
    return found;
  }

  private rootModule(): ts.CallExpression {
    const { ts } = this;
    const modules = this.source.statements.filter(ts.isClassDeclaration).flatMap((declaration) => {
      const decorators = (ts.getDecorators(declaration) ?? []).map(({ expression }) => expression);
      const call = decorators
        .filter(ts.isCallExpression)
        .find((each) => this.names.is(each.expression, moduleDecorator));
      return call ? [{ name: declaration.name?.text, call }] : [];
    });
    const root = modules.length === 1 ? modules[0] : modules.find(({ name }) => name === 'AppModule');
    if (root) return root.call;
    const found =
      modules.length === 0 ? 'no class with @Module() of @nestjs/common' : 'several modules, none AppModule';
    throw new ProjectError(`${this.path} has ${found}: name the file of your root module by --module`);
  }

  private metadata(): ts.ObjectLiteralExpression | undefined {
    return this.literal(this.decorator.arguments[0], this.ts.isObjectLiteralExpression);
  }

  private arrayOf(list: ListName): ts.ArrayLiteralExpression | undefined {
    return this.literal(this.property(list), this.ts.isArrayLiteralExpression);
  }

  private property(list: ListName): ts.Expression | undefined {
    const { ts } = this;
    for (const property of this.metadata()?.properties ?? []) {
      if (property.name === undefined || ts.isComputedPropertyName(property.name)) continue;
      if (ts.isShorthandPropertyAssignment(property) && property.name.text === list) return property.name;
      if (ts.isPropertyAssignment(property) && 'text' in property.name && property.name.text === list)
        return property.initializer;
    }
    return undefined;
  }

  /** A literal, also one that a constant of the file names. */
  private literal<Literal extends ts.Expression>(
    expression: ts.Expression | undefined,
    isLiteral: (node: ts.Node) => node is Literal,
    depth = 0,
  ): Literal | undefined {
    if (!expression || depth > 5) return undefined;
    const { ts } = this;
    const node = this.unwrapped(expression);
    if (isLiteral(node)) return node;
    if (!ts.isIdentifier(node)) return undefined;
    const declared = this.source.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .find(({ name }) => ts.isIdentifier(name) && name.text === node.text);
    return this.literal(declared?.initializer, isLiteral, depth + 1);
  }

  /** Without parentheses, `as …` and `satisfies …`. */
  private unwrapped(expression: ts.Expression): ts.Expression {
    const { ts } = this;
    return ts.isParenthesizedExpression(expression) ||
      ts.isAsExpression(expression) ||
      ts.isSatisfiesExpression?.(expression)
      ? this.unwrapped(expression.expression)
      : expression;
  }

  private style(): SourceStyle {
    const { text, names, quote } = this;
    const first = this.metadata()?.properties[0];
    const own = first ? indentAt(text, first.getStart()) : '';
    const unit = own.slice(indentAt(text, this.decorator.getStart()).length);
    return {
      quote,
      semicolon: names.last && !names.last.getText().endsWith(';') ? '' : ';',
      newline: text.includes('\r\n') ? '\r\n' : '\n',
      unit: unit === '' ? '  ' : unit,
    };
  }

  private checkSyntax(): void {
    const { ts, path, text } = this;
    const { diagnostics = [] } = ts.transpileModule(text, { fileName: path, reportDiagnostics: true });
    const wrong = diagnostics.find(({ file }) => file !== undefined);
    if (!wrong) return;
    const { line, character } = ts.getLineAndCharacterOfPosition(this.source, wrong.start ?? 0);
    throw new ProjectError(
      `${path}:${line + 1}:${character + 1} is not valid TypeScript: ${ts.flattenDiagnosticMessageText(wrong.messageText, ' ')}`,
    );
  }

  private place(node: ts.Node): string {
    return `${this.path}:${this.source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  }

  private unreadable(reason: string, node: ts.Node, entries: readonly ModuleEntry[]): ProjectError {
    const lines = entries.map((each) => `  ${each.list}: ${entryText(each, (name) => name, '', this.style())}`);
    return new ProjectError(`${this.place(node)}: ${reason}. Add these yourself:\n${lines.join('\n')}`);
  }
}
