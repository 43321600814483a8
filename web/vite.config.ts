import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Nothing is painted before the colour scheme is known, which the script tells: no flash, and no inline script. */
const paintAfterScript: Plugin = {
  name: 'paint-after-script',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace('<script type="module"', '$& blocking="render"'),
  },
};

/** The page that the service serves at /settings/api-keys. */
export default defineConfig({
  base: '/settings/',
  plugins: [react(), paintAfterScript],
  build: {
    target: 'es2022',
    // An inlined asset would be a data: URL, which the policy allows for images alone.
    assetsInlineLimit: 0,
    // Everything is one chunk that is preloaded anyway; the polyfill would be dead weight.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': process.env['LATCHKEY_URL'] ?? 'http://127.0.0.1:3000' } },
});
