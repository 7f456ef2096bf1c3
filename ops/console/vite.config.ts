import { defineConfig } from 'vite'

// Nothing is inlined as a data: URI, which the content security policy refuses. In development `/v1` is the fake server's,
// or that of BERTH_URL.
export default defineConfig({
  build: {
    target: 'es2022',
    outDir: process.env.CONSOLE_OUT ?? '../../build/release/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    // Mantine's files begin with "use client", which means nothing here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/v1': process.env.BERTH_URL ?? 'http://127.0.0.1:7480' } },
})
