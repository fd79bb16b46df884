import { Window } from 'happy-dom';
import type * as ReactHooks from '@rookery/client/react';
import type { PageClient } from '@rookery/client/react';

/** What a component reads from hooks, the same for each framework: functions that give the value of now. */
export interface Hooks {
  useChannel(channel: () => string | undefined): () => ReturnType<typeof ReactHooks.useChannel>;
  useEvent(channel: () => string | undefined, event: string, callback: (data: any, metadata?: any) => void): void;
  usePresence(channel: () => string | undefined): () => ReactHooks.Roster<{ readonly name: string }>;
  useChannelState<State>(
    channel: () => string | undefined,
    changes: Readonly<Record<string, (state: State, data: any) => State>>,
  ): () => State | undefined;
  useUnread(initial: number): () => number;
}

/** A component: uses hooks, and returns the text that it shows of them. */
export type Component = (hooks: Hooks, channel: () => string | undefined) => () => string;

/** A component in a page, under a key that tells whether the next page still has it. */
export interface Shown {
  readonly key: string;
  readonly component: Component;
  readonly channel?: string | undefined;
}

/** A page that a framework renders into a document, or a server to a text. */
export interface RenderedPage {
  show(...shown: readonly Shown[]): void;
  /** The texts of its components, by their keys. */
  textOf(key: string): string | undefined;
  close(): void;
}

export interface Framework {
  open(client: PageClient | undefined): RenderedPage;
  /** What a server renders. */
  rendered(client: PageClient | undefined, ...shown: readonly Shown[]): Promise<string>;
  /** Renders a component above which no client was provided. @throws what the hook says */
  withoutClient(component: Component): Promise<unknown>;
}

const window = new Window();

const globals = ['window', 'document', 'navigator', 'Element', 'SVGElement', 'MathMLElement', 'HTMLIFrameElement'];

/** Gives this process what browsers have, while the frameworks are in use. @returns takes it away */
export function beBrowser(): () => void {
  const [world, browser] = [globalThis, window] as unknown as Record<string, unknown>[];
  const added = globals.filter((name) => !(name in world!));
  for (const name of added) world![name] = browser![name];
  return () => {
    for (const name of added) delete world![name];
  };
}

/** A new element in the document, and how the texts of components are found in it. */
export function newRoot() {
  const root = window.document.createElement('div');
  window.document.body.append(root);
  return {
    // The frameworks' types know the elements of browsers, of which these are a copy.
    root: root as unknown as never,
    textOf: (key: string): string | undefined => root.querySelector(`#${key}`)?.textContent,
    remove: (): void => root.remove(),
  };
}
