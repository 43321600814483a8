import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compressed } from './compressed';

const BEGIN = 'src/begin.ts';

/**
 * A small script that sends the first requests while the large one is loading. It also sets the colour scheme, and
 * nothing is painted before, so the page does not flash and needs no inline script.
 */
const beginFirst: Plugin = {
  name: 'begin-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const built = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'begin');
      const src = built ? `/settings/${built.fileName}` : `/settings/${BEGIN}`;
      const early = `<script type="module" async blocking="render" src="${src}"></script>\n    $&`;
      return html.replace('<script type="module"', early);
    },
  },
};

/** Loads the font next to the scripts, and keeps its licence with it. */
const font: Plugin = {
  name: 'font',
  generateBundle() {
    const licence = import.meta.resolve('@fontsource-variable/inter/LICENSE');
    this.emitFile({
      type: 'asset',
      fileName: 'assets/inter-LICENSE.txt',
      source: readFileSync(fileURLToPath(licence)),
    });
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => {
      const file = Object.keys(bundle).find((name) => name.endsWith('.woff2'));
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/settings/${file}` };
      return file ? [{ tag: 'link', attrs, injectTo: 'head' as const }] : [];
    },
  },
};

/** The page that the service serves at /settings/api-keys. */
export default defineConfig({
  base: '/settings/',
  plugins: [react(), beginFirst, font, compressed],
  build: {
    target: 'es2022',
    // An inlined asset would be a data: URL, which the policy allows only for images.
    assetsInlineLimit: 0,
    // All browsers that can run the script have it.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: pathOf('index.html'), begin: pathOf(BEGIN) },
      output: {
        // The first script names every file: shorter names make it smaller.
        entryFileNames: 'assets/[name]-[hash:6].js',
        chunkFileNames: (chunk) => (chunk.isDynamicEntry ? 'assets/[name]-[hash:6].js' : 'assets/[hash:6].js'),
        assetFileNames: 'assets/[hash:6][extname]',
      },
    },
  },
  server: { proxy: { '/v1': process.env['LATCHKEY_URL'] ?? 'http://127.0.0.1:3000' } },
});

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
