import type { TestCase } from '../../test-output/types.ts'
import { partsOf } from './words.ts'

/** Whether an entry of the user's configuration means a test: its whole name, with its file and parameters or without. */
export function isNamed(entry: string, test: Pick<TestCase, 'name' | 'file'>, file?: string): boolean {
  const names = [test.name, test.name.replace(/\[[^\]]*\]$/, ''), partsOf(test.name).join(' > ')]
  const files = [file, test.file].filter((path) => path !== undefined)
  const whole = files.flatMap((path) => names.flatMap((name) => [`${path} > ${name}`, `${path}::${name}`]))
  return [...names, ...whole].includes(entry.trim())
}
