import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (typeof document === 'undefined') return;
    // Links of the built pages are relative to their page. Make them absolute: the page changes under them without a load.
    for (const link of document.querySelectorAll<HTMLAnchorElement>('#app a[href]')) {
      const { origin, pathname, search, hash } = new URL(link.href);
      if (origin === location.origin && !link.getAttribute('href')!.startsWith('#'))
        link.setAttribute('href', pathname + search + hash);
    }
    for (const image of document.querySelectorAll<HTMLImageElement>('#app img[src]'))
      image.setAttribute('src', image.src);
  },
} satisfies Theme;
