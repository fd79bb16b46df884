import { useData } from 'vitepress';
import { defineComponent, h, ref, watchEffect } from 'vue';

let drawn = 0;

const light = { theme: 'neutral' };
// Its own background of labels has too little contrast.
const dark = { theme: 'dark', themeVariables: { edgeLabelBackground: '#1b1b1f' } };

/** Draws a Mermaid diagram in the colours of the page. Until then, and without JavaScript, its text is there. */
export const Diagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const { isDark } = useData();
    const source = decodeURIComponent(code);
    const svg = ref('');
    const draw = async (theme) => {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({ startOnLoad: false, ...theme });
      svg.value = (await mermaid.render(`diagram-${++drawn}`, source)).svg;
    };
    if (!import.meta.env.SSR) watchEffect(() => void draw(isDark.value ? dark : light));
    return () =>
      svg.value === ''
        ? h('pre', { class: 'diagram', tabindex: 0 }, source)
        : h('div', { class: 'diagram', tabindex: 0, innerHTML: svg.value });
  },
});
