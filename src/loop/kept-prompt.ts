import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The prompt of a run as the person wrote it when the run began; undefined when it was not kept. */
export function keptPrompt(dir: string, run: string | undefined): string | undefined {
  if (run === undefined) return undefined
  try {
    return readFileSync(join(dir, 'prompts', `${run}.md`), 'utf8')
  } catch {
    return undefined
  }
}

/** The agent can write the file it came from, so it is kept beside the journal. */
export function keepPrompt(dir: string, run: string, text: string): void {
  mkdirSync(join(dir, 'prompts'), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, 'prompts', `${run}.md`), text, { mode: 0o600 })
}
