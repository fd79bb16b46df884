import { createApp, createSSRApp, defineComponent, h, shallowRef } from 'vue';
import { renderToString } from 'vue/server-renderer';
import * as own from '@rookery/client/vue';
import { type Component, type Framework, type Hooks, newRoot, type Shown } from './rendered-page.js';

const hooks: Hooks = {
  useChannel: (channel) => valueOf(own.useChannel(channel)),
  useEvent: own.useEvent,
  usePresence: (channel) => valueOf(own.usePresence(channel)),
  useChannelState: (channel, changes) => valueOf(own.useChannelState(channel, changes)),
  useUnread: (initial) => valueOf(own.useUnread(initial)),
};
const valueOf =
  <T>(ref: { readonly value: T }) =>
  (): T =>
    ref.value;

const Paragraph = defineComponent(
  (props: { id: string; component: Component; channel?: string | undefined }) => {
    const text = props.component(hooks, () => props.channel);
    return () => h('p', { id: props.id }, text());
  },
  { props: ['id', 'component', 'channel'] },
);

const paragraphs = (shown: readonly Shown[]) =>
  shown.map(({ key, component, channel }) => h(Paragraph, { key, id: key, component, channel }));

export const framework: Framework = {
  open(client) {
    const { root, textOf, remove } = newRoot();
    const all = shallowRef<readonly Shown[]>([]);
    const app = createApp({ render: () => paragraphs(all.value) });
    app.provide(own.clientKey, client);
    app.mount(root);
    return {
      show: (...shown) => void (all.value = shown),
      textOf,
      close: () => {
        app.unmount();
        remove();
      },
    };
  },
  rendered: (client, ...shown) => {
    const app = createSSRApp({ render: () => paragraphs(shown) });
    return renderToString(app.provide(own.clientKey, client));
  },
  withoutClient: (component) => {
    const app = createSSRApp({ render: () => paragraphs([{ key: 'lost', component }]) });
    app.config.warnHandler = () => undefined;
    return renderToString(app);
  },
};
