import { join } from 'node:path';
import ts from 'typescript';

/** Code of a page, which may be a part of something: a few statements, members of a class, an entry of a list. */
export interface Snippet {
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** What a snippet may take for granted. */
export interface Surroundings {
  /** The modules whose exports it may use without importing them; the first that has a name counts. */
  readonly modules: readonly string[];
  /** The import of a name that has none there, or another one. */
  readonly imports: (name: string, code: string) => string | undefined;
  /** Names of the reader's own, of any type. */
  readonly own: readonly string[];
  /** Declarations of what the reader has already read, or has of their own, by the page. */
  readonly declared: Readonly<Record<string, string>>;
  /** Of the class around it, by name their types. */
  readonly members: Readonly<Record<string, string>>;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: ['node'],
  jsx: ts.JsxEmit.Preserve,
  strict: true,
  experimentalDecorators: true,
  esModuleInterop: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What was read of packages: hundreds of files, which all programs have. */
const read = new Map<string, ts.SourceFile | undefined>();

/** Files that are only in memory, in a folder whose packages they use. */
function programOf(files: ReadonlyMap<string, string>, root: string, given: ts.CompilerOptions, old?: ts.Program) {
  const host = ts.createCompilerHost(given);
  const { fileExists, readFile, getSourceFile } = host;
  host.getCurrentDirectory = () => root;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, version, true);
    if (!read.has(path)) read.set(path, getSourceFile(path, version, ...rest));
    return read.get(path);
  };
  return ts.createProgram({ rootNames: [...files.keys()], options: given, host, ...(old && { oldProgram: old }) });
}

/**
 * Type-checks snippets against the packages of a folder, strictly; those of JavaScript may leave out types of parameters.
 * @param customConditions those under which packages are read
 * @returns what is wrong, by place
 */
export function faultsOf(
  root: string,
  snippets: readonly Snippet[],
  around: Surroundings,
  customConditions: string[] = [],
): string[] {
  const imports = join(root, 'imports.ts');
  const importing = around.modules.map((name, i) => `import * as m${i} from '${name}'; export { m${i} };`).join('\n');
  const strict = { ...options, customConditions };
  const ofImports = programOf(new Map([[imports, importing]]), root, strict);
  const moduleOf = exportsIn(ofImports, imports, around.modules);
  const faults = [true, false].flatMap((isTypeScript) => {
    const all = snippets.filter(({ language }) => /^tsx?$/.test(language) === isTypeScript);
    const files = new Map(
      all.map((each, i) => [
        join(root, `snippet-${i}.${each.language === 'tsx' ? 'tsx' : 'ts'}`),
        completed(each, around, moduleOf),
      ]),
    );
    const program = programOf(files, root, { ...strict, noImplicitAny: isTypeScript }, ofImports);
    return [...files.keys()].flatMap((path, i) => {
      const source = program.getSourceFile(path)!;
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${all[i]!.place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
  });
  return faults;
}

/** The modules of exported names. */
function exportsIn(program: ts.Program, file: string, modules: readonly string[]): ReadonlyMap<string, string> {
  const checker = program.getTypeChecker();
  const found = new Map<string, string>();
  for (const statement of program.getSourceFile(file)!.statements.filter(ts.isImportDeclaration)) {
    const module = (statement.moduleSpecifier as ts.StringLiteral).text;
    const symbol = checker.getSymbolAtLocation(statement.moduleSpecifier);
    if (!symbol) throw new Error(`There is no ${module} of ${modules.join(', ')}`);
    for (const { name } of checker.getExportsOfModule(symbol)) if (!found.has(name)) found.set(name, module);
  }
  return found;
}

/** A whole file of a snippet. */
function completed(given: Snippet, around: Surroundings, moduleOf: ReadonlyMap<string, string>): string {
  const { imports, own, members, declared } = around;
  const code = filledIn(given.code);
  const before = declared[given.place.replace(/:\d+$/, '')] ?? '';
  const body = [
    code,
    inClass(code, members),
    `export const part = { ${code} };`,
    `export const part = [ ${code} ];`,
  ].filter((_, i) => i > 0 || !/\bthis\./.test(code) || /\bclass\b/.test(code));
  const whole = body.find((text) => isParsed(text, given.language)) ?? code;
  const names = [
    ...new Set(`${before}\n${whole}`.replaceAll(/'(?:[^'\\\n]|\\.)*'|\/\/.*$/gm, '').match(/\b[A-Za-z]\w*/g)),
  ];
  const isDeclared = (name: string): boolean => [whole, before].some((text) => isDeclaredIn(text, name));
  const lines = names
    .filter((name) => !isDeclared(name))
    .flatMap((name) => {
      const module = moduleOf.get(name);
      const line = imports(name, code) ?? (module && `import { ${name} } from '${module}';`);
      if (line !== undefined) return [line];
      if (!own.includes(name)) return [];
      return [`declare const ${name}: any;${/^[A-Z]/.test(name) ? ` type ${name} = any;` : ''}`];
    });
  const unsaid = before.split('\n').filter((line) => !declares(whole, line));
  return `${[...lines, ...unsaid].join('\n')}\n${whole}\nexport {};\n`;
}

/** Whether the code has itself what a line declares. */
function declares(code: string, line: string): boolean {
  const name = /\b(?:const|class|function|interface|type) (\w+)|^import \{ (\w+) \}/.exec(line)?.slice(1).find(Boolean);
  return name !== undefined && isDeclaredIn(code, name);
}

const isDeclaredIn = (code: string, name: string): boolean =>
  new RegExp(
    `\\b(class|const|let|function|interface|type)\\s+${name}\\b|\\b(const|let) \\{[^}]*\\b${name}\\b|import [^;]*\\b${name}\\b`,
  ).test(code);

/** What is left out on the page: the body of a method, further settings, files of the reader's. */
const filledIn = (code: string): string =>
  code
    .replaceAll(/(?<=\) )\{ … \}/g, '{ return undefined as never; }')
    .replaceAll('…', '...({} as any)')
    .replaceAll(/^import (?:type )?\{ (\w+) \} from '\.[^']*';$/gm, 'declare const $1: any;');

/** As members of a class; statements after a constructor, or in its place, are those of a method. */
function inClass(code: string, members: Surroundings['members']): string {
  const [, constructor = '', rest = ''] = /^(constructor\(.*\) \{\}\n)?([^]*)$/.exec(code)!;
  const others = Object.entries(members).filter(
    ([name]) => code.includes(`this.${name}`) && !constructor.includes(` ${name}:`),
  );
  const fields = others.map(([name, type]) => `${name}!: ${type};`).join('\n');
  const isStatement = /^(await|const|return|this)\b/.test(rest);
  return `class Whole {\n${fields}\n${constructor}\n${isStatement ? `async method() {\n${rest}}` : rest}\n}\nexport const whole = Whole;`;
}

function isParsed(text: string, language: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    ...(language === 'tsx' && { fileName: 'snippet.tsx' }),
    compilerOptions: { ...options, lib: [], types: [] },
  });
  return diagnostics.length === 0;
}
