import { join } from 'node:path'
import { removeFile } from '../system/files.ts'
import { textIn } from './fields.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/** The commands a hook would run in a folder, with a hash by which the user approves exactly these. */
export interface Approvable {
  readonly hash: string
  readonly file?: string
  readonly commands: readonly string[]
}

const FILE = 'trust.json'
const fileOf = (stateDir: string): string => join(stateDir, FILE)

/** `never`: not approved yet. `changed`: changed since the approval. */
export type Trust = 'approved' | 'changed' | 'never'

export function trustOf(stateDir: string, { hash }: Approvable): Trust {
  const kept = approvedHash(stateDir)
  if (kept === undefined) return 'never'
  return kept === hash ? 'approved' : 'changed'
}

export function approvedHash(stateDir: string): string | undefined {
  const kept = readJsonFile(fileOf(stateDir))
  if (kept === undefined) return undefined
  return kept === 'broken' ? '' : (textIn(kept, 'hash') ?? '')
}

export function approve(stateDir: string, { hash, commands }: Approvable, at: number): void {
  writeJsonFile(fileOf(stateDir), { v: 1, hash, commands, at })
}

export function withdraw(stateDir: string): void {
  removeFile(fileOf(stateDir))
}
