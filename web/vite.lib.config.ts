import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { declarations } from './declarations';

/** The package @latchkey/panel. What it depends on is not in it: a host that has Mantine shares it, with its theme. */
export default defineConfig({
  plugins: [react(), declarations()],
  publicDir: false,
  build: {
    // The ignore files leave out every folder of the name `dist`.
    outDir: 'lib/dist',
    target: 'es2022',
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'latchkey-panel', cssFileName: 'latchkey-panel' },
    rolldownOptions: {
      // Mantine's stylesheets are not external: ours contains those that are used.
      external: [/^react(-dom)?(\/|$)/, /^@mantine\/(core|hooks)$/, '@tanstack/react-query'],
    },
  },
});
