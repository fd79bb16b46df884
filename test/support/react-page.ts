import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import * as own from '@rookery/client/react';
import { type Component, type Framework, type Hooks, newRoot, type Shown } from './rendered-page.js';

/** Each rendering calls the hooks again. */
const hooks: Hooks = {
  useChannel: (channel) => constant(own.useChannel(channel())),
  useEvent: (channel, event, callback) => own.useEvent(channel(), event, callback),
  usePresence: (channel) => constant(own.usePresence(channel())),
  useChannelState: (channel, changes) => constant(own.useChannelState(channel(), changes)),
  useUnread: (initial) => constant(own.useUnread(initial)),
};
const constant =
  <T>(value: T) =>
  (): T =>
    value;

function Paragraph({ id, component, channel }: { id: string; component: Component; channel?: string | undefined }) {
  return createElement('p', { id }, component(hooks, () => channel)());
}

const paragraphs = (shown: readonly Shown[]) =>
  shown.map(({ key, component, channel }) => createElement(Paragraph, { key, id: key, component, channel }));

const pageOf = (client: own.PageClient | undefined, shown: readonly Shown[]) =>
  createElement(StrictMode, null, createElement(own.ChannelsProvider, { client }, paragraphs(shown)));

export const framework: Framework = {
  open(client) {
    const { root: element, textOf, remove } = newRoot();
    const root = createRoot(element);
    return {
      show: (...shown) => root.render(pageOf(client, shown)),
      textOf,
      close: () => {
        root.unmount();
        remove();
      },
    };
  },
  rendered: async (client, ...shown) => renderToString(pageOf(client, shown)),
  withoutClient: async (component) => renderToString(paragraphs([{ key: 'lost', component }])),
};
