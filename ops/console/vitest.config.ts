import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['test/unit/*_test.ts'] } })
