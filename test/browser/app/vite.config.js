import { defineConfig } from 'vite';

export default defineConfig({
  server: {
    proxy: {
      '/api': { target: 'http://localhost:3000' },
      '/images': { target: 'http://localhost:3000' },
    },
  },
});
