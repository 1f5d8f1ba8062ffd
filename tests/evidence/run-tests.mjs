// Runs the test files below the current folder in this process. `node --test` starts one more process per file, which takes three
// times as long. For rows about the results, not about the runner.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'

const files = readdirSync('.', { recursive: true }).filter(
  (path) => /\.test\.m?js$/.test(path) && !/(?:^|\/)(?:node_modules|\.git)\//.test(path),
)
for (const file of files.sort().map((path) => resolve(path)))
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    test(file, () => {
      throw error
    })
  }
