import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The page is painted only after the script has set the colour scheme, so it does not flash and needs no inline script. */
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
    // An inlined asset would be a data: URL, which the policy allows only for images.
    assetsInlineLimit: 0,
    // Everything is one chunk that is preloaded anyway, so the polyfill would only add bytes.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': process.env['LATCHKEY_URL'] ?? 'http://127.0.0.1:3000' } },
});
