import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  type Provider,
  type Type,
} from '@nestjs/common';
import type { Given } from '../checks/given.js';
import { checkAsyncOptions, settingsOf } from '../checks/settings.js';
import { suppliedOr } from './aliases.js';
import { bind, type Implementation, type Port } from './bind.js';

/** A port that hosts may replace, and its default. */
export interface ReplaceablePort<T extends object> {
  readonly port: Port<T>;
  readonly fallback: Implementation<T>;
}

/** A port and its default implementation. */
export const replaceable = <T extends object>(port: Port<T>, fallback: Implementation<T>): ReplaceablePort<T> => ({
  port,
  fallback,
});

/** A port whose default another module may supply, such as RedisModule; otherwise, it is the one in memory. */
export const shared = <T extends object>(port: Port<T>, memory: new () => T): ReplaceablePort<T> =>
  replaceable(port, suppliedOr(port, memory));

/** The tokens of ports. */
export const tokensOf = (ports: Readonly<Record<string, ReplaceablePort<object>>>): readonly Port<object>[] =>
  Object.values(ports).map(({ port }) => port);

/** The defaults of ports that need nothing of other modules. */
export const defaultsOf = (ports: Readonly<Record<string, ReplaceablePort<object>>>): [Port<object>, object][] =>
  Object.values(ports).map(({ port, fallback }) => [port, madeBy(fallback as Default)]); // The others need arguments.

type Default = (new () => object) | { readonly useFactory: () => object };
const madeBy = (fallback: Default): object => (typeof fallback === 'function' ? new fallback() : fallback.useFactory());

/** The intersection of a union. */
type AllOf<Union> = (Union extends object ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** An object even if nothing has a port. */
type PortsOf<Owner> = AllOf<Extract<Owner, { readonly ports: object }>['ports'] | object>;

/** The ports of all features: no two have the same name. */
export const foldPorts = <Owner extends object>(owners: readonly (Owner & { readonly ports?: object })[]) =>
  Object.assign({}, ...owners.map(({ ports }) => ports)) as PortsOf<Owner>; // Object.assign answers any.

/** The arguments of `forRoot` and `forRootAsync` that replace a module's ports. */
export type Replacements<Ports> = {
  readonly [Name in keyof Ports]?: Ports[Name] extends ReplaceablePort<infer T> ? Implementation<T> : never;
} & {
  /** Modules whose exports the implementations inject. */
  readonly imports?: DynamicModule['imports'];
};

/** A module that {@link configurable} makes. */
interface ModuleParts<Settings extends object, Ports, Extras extends object> {
  /** The module's name, for error messages. */
  readonly name: string;
  /** The class of the options, under which they are injected. */
  readonly settings?: Type<Settings>;
  /** The module's ports, by the names of their replacements. */
  readonly ports?: Ports;
  /** Any further arguments of `forRoot` and `forRootAsync`, with their defaults. */
  readonly extras?: Required<Extras>;
  /** The providers of these arguments. */
  readonly providersOf?: (extras: Required<Extras>) => readonly Provider[];
}

/** A module class with `forRoot` and `forRootAsync`. */
export interface ConfigurableModule<Settings, Arguments> {
  new (): object;
  forRoot(options?: Given<Settings> & Arguments): DynamicModule;
  forRootAsync(options: ConfigurableModuleAsyncOptions<Given<Settings>> & Arguments): DynamicModule;
}

/** The base class of a global module with checked settings and replaceable ports. */
export function configurable<
  Settings extends object = object,
  Ports extends object = object,
  Extras extends object = object,
>({
  name,
  settings,
  ports,
  extras,
  providersOf,
}: ModuleParts<Settings, Ports, Extras>): ConfigurableModule<Settings, Replacements<Ports> & Extras> {
  const replaceables = Object.entries<ReplaceablePort<object>>({ ...ports });
  // Names every argument: the builder takes all others for options.
  const beside: Record<string, unknown> = {
    ...unset(replaceables.map(([port]) => port)),
    ...extras,
    ...unset(['imports']),
  };
  const place = { module: name, ports: Object.keys(beside) };
  const options = Symbol(`${name}Options`);
  const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<object>({ optionsInjectionToken: options })
    .setClassMethodName('forRoot')
    .setExtras(beside, (module, given) => ({
      ...module,
      global: true,
      imports: [...(module.imports ?? []), ...((given['imports'] as DynamicModule['imports']) ?? [])],
      providers: [
        ...(module.providers ?? []),
        ...(settings
          ? [
              {
                provide: settings,
                inject: [options],
                useFactory: (plain: object) => settingsOf(settings, plain, place),
              },
            ]
          : []),
        ...replaceables.map(([port, { port: token, fallback }]) =>
          bind(token, given[port] as Implementation<object> | undefined, fallback),
        ),
        ...(providersOf?.(given as Required<Extras>) ?? []),
      ],
    }))
    .build();
  return class extends ConfigurableModuleClass {
    static override forRoot(given: object = {}): DynamicModule {
      return super.forRoot(given);
    }

    static override forRootAsync(given: object): DynamicModule {
      checkAsyncOptions(given, place);
      return super.forRootAsync(given);
    }
  };
}

const unset = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
