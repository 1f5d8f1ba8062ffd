import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Flaw } from '../checks/artifacts.ts'
import type { CheckContext } from '../types.ts'
import { unsupportedIn, validate } from './json-schema.ts'

const unknown = (sentence: string): readonly Flaw[] => [{ answer: 'unknown', sentence }]
const UNREADABLE = 'cannot be read as text (binary, larger than 2 MiB, or a link that leads out)'

export async function matchesPattern(
  file: string,
  pattern: string,
  { workspace }: CheckContext,
): Promise<readonly Flaw[]> {
  const text = workspace.read(file)
  if (text === undefined) return unknown(`${file} ${UNREADABLE}.`)
  const { RE2JS } = await import('re2js')
  try {
    if (RE2JS.compile(pattern).matcher(text).find()) return []
  } catch (error) {
    return unknown(`The pattern ${pattern} cannot be used: ${(error as Error).message}.`)
  }
  return [{ answer: 'no', sentence: `${file} does not match ${pattern}.` }]
}

export async function matchesSchema(file: string, schemaPath: string, context: CheckContext): Promise<readonly Flaw[]> {
  const schema = schemaOf(schemaPath, context)
  if (typeof schema === 'string') return unknown(schema)
  const unsupported = unsupportedIn(schema.value)
  if (unsupported !== undefined) return unknown(`The schema ${schemaPath} uses ${unsupported}, which is not supported.`)
  const text = context.workspace.read(file)
  if (text === undefined) return unknown(`${file} ${UNREADABLE}.`)
  const data = await parse(file, text)
  if ('problem' in data) return [{ answer: 'no', sentence: `${file} cannot be read: ${data.problem}.` }]
  const { RE2JS } = await import('re2js')
  try {
    const test = (pattern: string, value: string) => RE2JS.compile(pattern).matcher(value).find()
    return validate(schema.value, data.value, test).map((problem) => ({
      answer: 'no',
      sentence: `${file} does not fit ${schemaPath}: ${problem}.`,
    }))
  } catch (error) {
    return unknown(`The schema ${schemaPath} cannot be used: ${(error as Error).message}.`)
  }
}

/** The schema as it was when the run began: one that the agent wrote or changed would accept anything. */
function schemaOf(path: string, { workspace, baseline }: CheckContext): { value: unknown } | string {
  let text: string | undefined
  if (isAbsolute(path)) {
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      return `The schema ${path} cannot be read: ${(error as Error).message}.`
    }
  } else if (baseline === undefined) text = workspace.read(path)
  else {
    text = baseline.read(path)
    if (text === undefined) {
      return Object.hasOwn(baseline.files, path)
        ? `What the schema ${path} was at the start was not kept.`
        : `The schema ${path} was not there at the start.`
    }
  }
  if (text === undefined) return `The schema ${path} does not exist or cannot be read.`
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return `The schema ${path} is not valid JSON: ${(error as Error).message}.`
  }
}

async function parse(file: string, text: string): Promise<{ value: unknown } | { problem: string }> {
  try {
    if (!/\.ya?ml$/i.test(file)) return { value: JSON.parse(text) }
    const { parse: parseYaml } = await import('yaml')
    return { value: parseYaml(text) }
  } catch (error) {
    return { problem: (error as Error).message.split('\n')[0]! }
  }
}
