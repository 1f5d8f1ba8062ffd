import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fieldsOf, textIn } from '../../hooks/fields.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { findProgram } from '../../system/find-program.ts'
import type { Io } from '../io.ts'

const PACKAGE = '@anthropic-ai/claude-code'
/** Newer versions of the package need this Node. */
const NEEDED = 22

/** On an older Node, npm installs the last Claude Code that still supports it, and doesn't say so. */
export function oldClaude(dir: string, io: Io, node: string = process.versions.node): readonly Looked[] {
  const program = findProgram('claude', dir, io.env, io.platform)
  const installed = program === undefined ? undefined : packageOf(program)
  const major = Number(node.split('.')[0])
  if (installed === undefined || installed.needs >= NEEDED || major >= NEEDED) return []
  return [
    {
      name: 'claude',
      state: 'note',
      text: `Claude Code ${installed.version} is old: with Node ${major}, npm silently picks the last version that supports it`,
      remedy: `Install Node ${NEEDED} or newer, then: npm install -g ${PACKAGE}@latest`,
    },
  ]
}

/** The npm package that a program belongs to; undefined for a program that npm did not install. */
function packageOf(program: string): { readonly version: string; readonly needs: number } | undefined {
  try {
    for (let folder = dirname(realpathSync.native(program)); dirname(folder) !== folder; folder = dirname(folder)) {
      const found = manifestIn(folder)
      if (found === undefined) continue
      if (found.name !== PACKAGE) return undefined
      const needs = /\d+/.exec(textIn(fieldsOf(found.engines) ?? {}, 'node') ?? '')?.[0]
      return { version: textIn(found, 'version') ?? '', needs: Number(needs ?? 0) }
    }
  } catch {
    // The program is gone.
  }
  return undefined
}

function manifestIn(folder: string) {
  try {
    return fieldsOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  } catch {
    return undefined
  }
}
