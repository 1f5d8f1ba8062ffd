import { defineConfig } from 'vitest/config'
import { pageParts } from './scripts/page-parts.mjs'

export default defineConfig({
  plugins: [pageParts()],
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
