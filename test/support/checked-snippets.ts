import { join } from 'node:path';
import ts from 'typescript';

/** Code of a page, which may be a part of something: a few statements, members of a class, an entry of a list. */
export interface Snippet {
  readonly place: string;
  readonly code: string;
}

/** What a snippet may take for granted. */
export interface Surroundings {
  /** By name, the module that it is imported from. */
  readonly imports: (name: string, code: string) => string | undefined;
  /** Names of the reader's own, of any type. */
  readonly own: readonly string[];
  /** Of the class around it, by name their types. */
  readonly members: Readonly<Record<string, string>>;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  customConditions: ['rookery-source'],
  types: ['node'],
  strict: true,
  noImplicitAny: false,
  strictPropertyInitialization: false,
  experimentalDecorators: true,
  esModuleInterop: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Type-checks snippets against the package. @returns what is wrong, by place */
export function faultsOf(root: string, snippets: readonly Snippet[], around: Surroundings): string[] {
  const files = new Map(
    snippets.map(({ code }, i) => [join(root, `test/docs/snippet-${i}.ts`), completed(code, around)]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.getCurrentDirectory = () => root;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  return [...files.keys()].flatMap((path, i) => {
    const source = program.getSourceFile(path)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${snippets[i]!.place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

/** A whole file of a snippet. */
function completed(given: string, { imports, own, members }: Surroundings): string {
  const code = filledIn(given);
  const body = [
    code,
    inClass(code, members),
    `export const part = { ${code} };`,
    `export const part = [ ${code} ];`,
  ].filter((_, i) => i > 0 || !/\bthis\./.test(code) || /\bclass\b/.test(code));
  const whole = body.find((text) => isParsed(text)) ?? code;
  const names = [...new Set(whole.replaceAll(/'(?:[^'\\\n]|\\.)*'|\/\/.*$/gm, '').match(/\b[A-Za-z]\w*/g) ?? [])];
  const isDeclared = (name: string): boolean =>
    new RegExp(`\\b(class|const|let|function|interface)\\s+${name}\\b|import [^;]*\\b${name}\\b`).test(whole);
  const free = names.filter((name) => !isDeclared(name));
  const lines = free.flatMap((name) => {
    const line = imports(name, code);
    if (line !== undefined) return [line];
    if (!own.includes(name)) return [];
    return [`declare const ${name}: any;${/^[A-Z]/.test(name) ? ` type ${name} = any;` : ''}`];
  });
  return `${lines.join('\n')}\n${whole}\nexport {};\n`;
}

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

function isParsed(text: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, experimentalDecorators: true },
  });
  return diagnostics.length === 0;
}
