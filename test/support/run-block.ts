import ts from 'typescript';
import type { DocBlock } from './doc-blocks.js';

type Block = Pick<DocBlock, 'code' | 'place'>;

/** What the reader of a page has, and puts in the place of what stands there. */
export interface Reader {
  /** Names that the code uses and does not declare. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** What the code imports, by the name of the module. */
  readonly modules?: Readonly<Record<string, object>>;
  /** Texts of the page, each with the reader's own: addresses, what `…` stands for. All of them must be there. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Makes a whole of code that is a part of something, such as the members of a class. */
  readonly around?: (code: string) => string;
  /** Names that the code declares, which are answered. */
  readonly wanted?: readonly string[];
}

/**
 * Runs the code of a page as its reader would.
 * @returns what it declares of the names that are wanted
 * @throws Error where it throws, or where a text that is to be replaced is not on the page
 */
export async function runBlock(block: Block, reader: Reader = {}): Promise<any> {
  const { place } = block;
  const { scope = {}, modules = {}, instead = {}, around = (part) => part, wanted = [] } = reader;
  const { outputText } = ts.transpileModule(around(filled(block, instead)), { compilerOptions });
  const required = (name: string): object => {
    const module = modules[name];
    if (!module) throw new Error(`${place} imports ${name}, which its test does not give it`);
    return module;
  };
  const run = new AsyncFunction(
    'require',
    'exports',
    ...Object.keys(scope),
    `${outputText}\nreturn { ${wanted.join(', ')} };`,
  );
  return run(required, {}, ...Object.values(scope));
}

/**
 * The code with the reader's own texts in it.
 * @throws Error where a text that is to be replaced is not on the page
 */
export function filled({ code, place }: Block, instead: NonNullable<Reader['instead']>): string {
  let text = code;
  for (const [there, own] of Object.entries(instead)) {
    if (!text.includes(there)) throw new Error(`${place} does not say ${there}`);
    text = text.replaceAll(there, own);
  }
  return text;
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

const AsyncFunction = (async () => undefined).constructor as new (
  ...text: string[]
) => (...scope: unknown[]) => Promise<unknown>;
