import { onMounted, watch } from 'vue';

/**
 * Begins once the component is mounted, so never where pages are rendered on a server, and again whenever what it reads
 * has changed. What it returned ends what it began.
 */
export function whileMounted<Source>(source: () => Source, begin: (source: Source) => () => void): void {
  onMounted(() => {
    watch(source, (now, _, onCleanup) => onCleanup(begin(now)), { immediate: true, flush: 'sync' });
  });
}
