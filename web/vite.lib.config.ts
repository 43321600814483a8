import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The panel for other frontends, which provide React, Mantine and TanStack Query. */
export default defineConfig({
  plugins: [react()],
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
