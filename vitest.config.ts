import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { pageParts } from './scripts/page-parts.mjs'

export default defineConfig({
  plugins: [pageParts()],
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    // Many tests wait for processes of their own, so one more than there are cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
