import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import { useMainLandmark } from './main-landmark.mjs';
import { MarkdownLink } from './markdown-link.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: defineComponent(() => {
    useMainLandmark();
    return () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) });
  }),
};
