import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import { isObject } from 'rookery/internal/common';

export type Imports = NonNullable<DynamicModule['imports']>;
type Import = Imports[number] | undefined;

/** All imported modules, including those that imports import. */
export async function modulesAmong(imports: Imports): Promise<ReadonlySet<Type>> {
  const found = new Set<Type>();
  await collect(imports, found);
  return found;
}

async function collect(imports: Imports, found: Set<Type>): Promise<void> {
  for (const one of imports) {
    const imported: Import = await one;
    if (typeof imported === 'function') await collectClass(imported, found);
    else if (isForward(imported)) await collect([imported.forwardRef() as Type], found);
    else if (isObject(imported)) {
      await collectClass((imported as unknown as DynamicModule).module, found);
      await collect((imported as unknown as DynamicModule).imports ?? [], found);
    }
  }
}

async function collectClass(module: Type, found: Set<Type>): Promise<void> {
  if (found.has(module)) return;
  found.add(module);
  // `@Module` stores its metadata under this key.
  await collect((Reflect.getMetadata('imports', module) as Imports | undefined) ?? [], found);
}

const isForward = (imported: Import): imported is ForwardReference => isObject(imported) && 'forwardRef' in imported;
