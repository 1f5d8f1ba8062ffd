import { lstatSync } from 'node:fs'
import { basename } from 'node:path'
import { errorCode, writeFileAtomic } from '../system/files.ts'
import { ConfigError } from './errors.ts'

/** Writes a new file all at once: whoever looks sees the whole text or nothing. Never through a link, and never over
 *  an existing file unless told to. */
export function writeConfigFile(path: string, text: string, options: { readonly force: boolean }): void {
  const name = basename(path)
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) throw new ConfigError(`${name} is a symbolic link; exitgate does not write through it.`)
  if (there !== undefined && !there.isFile()) throw new ConfigError(`${name} exists and is not a file.`)
  if (there !== undefined && !options.force) throw alreadyThere(name)

  try {
    writeFileAtomic(path, text, { mode: 0o644, sync: true, onlyNew: !options.force })
  } catch (thrown) {
    // Someone made the file between our look and our link: it is theirs.
    if (errorCode(thrown) === 'EEXIST') throw alreadyThere(name)
    throw new ConfigError(`${name} cannot be written (${errorCode(thrown) || String(thrown)}).`)
  }
}

function alreadyThere(name: string): ConfigError {
  return new ConfigError(`${name} exists already; --force replaces it.`)
}
