import { useRoute } from 'vitepress';
import { nextTick, onMounted, watch } from 'vue';

/** VitePress marks the main content of pages of text only: neither that of the landing page nor that of "not found". */
export function useMainLandmark() {
  const route = useRoute();
  const mark = async () => {
    await nextTick();
    const content = document.querySelector('#VPContent');
    if (content?.querySelector('main')) content.removeAttribute('role');
    else content?.setAttribute('role', 'main');
  };
  onMounted(() => {
    void mark();
    watch(() => route.path, mark);
  });
}
