import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** A page that embeds the built panel: test/browser/panel.spec.ts serves it from another origin. */
export default defineConfig({
  root: 'host',
  plugins: [react()],
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true },
});
