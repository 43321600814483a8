import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { declarations } from './declarations';

/** The package @latchkey/panel, without its dependencies, so that a host with Mantine shares Mantine and its theme. */
export default defineConfig({
  plugins: [react(), declarations()],
  publicDir: false,
  build: {
    // The ignore files exclude every folder with the name `dist`.
    outDir: 'lib/dist',
    target: 'es2022',
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'latchkey-panel', cssFileName: 'latchkey-panel' },
    rolldownOptions: {
      // Mantine's stylesheets are not external: ours contains those that are used.
      external: [/^react(-dom)?(\/|$)/, /^@mantine\/(core|hooks)$/, '@tanstack/react-query'],
    },
  },
});
