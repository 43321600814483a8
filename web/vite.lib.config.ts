import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The panel for other frontends, which bring React, Mantine and TanStack Query along. */
export default defineConfig({
  plugins: [react()],
  publicDir: false,
  build: {
    // A folder that is ignored wherever `dist` is.
    outDir: 'lib/dist',
    target: 'es2022',
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'latchkey-panel', cssFileName: 'latchkey-panel' },
    rolldownOptions: {
      // Their stylesheets are not external: only those used are in ours.
      external: [/^react(-dom)?(\/|$)/, /^@mantine\/(core|hooks)$/, '@tanstack/react-query'],
    },
  },
});
