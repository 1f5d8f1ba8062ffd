import { lstatSync } from 'node:fs'
import { basename } from 'node:path'
import { errorCode, writeFileAtomic } from '../system/files.ts'
import { ConfigError } from './errors.ts'

/** Writes the file atomically. Never writes through a link, and overwrites an existing file only with `force`. */
export function writeConfigFile(path: string, text: string, options: { readonly force: boolean }): void {
  const name = basename(path)
  const existing = lstatSync(path, { throwIfNoEntry: false })
  if (existing?.isSymbolicLink())
    throw new ConfigError(`${name} is a symbolic link, and exitgate does not write through links. Remove it first.`)
  if (existing !== undefined && !existing.isFile())
    throw new ConfigError(`${name} exists and is not a regular file. Move it out of the way.`)
  if (existing !== undefined && !options.force) throw alreadyExists(name)

  try {
    writeFileAtomic(path, text, { mode: 0o644, sync: true, onlyNew: !options.force })
  } catch (thrown) {
    // The file appeared between the check and the write, so keep it.
    if (errorCode(thrown) === 'EEXIST') throw alreadyExists(name)
    throw new ConfigError(`can't write ${name} (${errorCode(thrown) || String(thrown)}).`)
  }
}

function alreadyExists(name: string): ConfigError {
  return new ConfigError(`${name} already exists. Use --force to overwrite it.`)
}
