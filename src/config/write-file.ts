import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from './errors.ts'

/** Writes a new file all at once: whoever looks sees the whole text or nothing. Never through a link, and never over
 *  an existing file unless told to. */
export function writeConfigFile(path: string, text: string, options: { readonly force: boolean }): void {
  const name = basename(path)
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) throw new ConfigError(`${name} is a symbolic link; exitgate does not write through it.`)
  if (there !== undefined && !there.isFile()) throw new ConfigError(`${name} exists and is not a file.`)
  if (there !== undefined && !options.force) throw alreadyThere(name)

  // The name is our own, so that a draft of another process is neither taken for ours nor taken away.
  const draft = join(dirname(path), `.${name}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)
  try {
    writeWhole(draft, text)
    if (options.force) renameSync(draft, path)
    else claim(draft, path)
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    // Someone made the file between our look and our link: it is theirs.
    if (code === 'EEXIST') throw alreadyThere(name)
    throw new ConfigError(`${name} cannot be written (${code ?? String(thrown)}).`)
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeWhole(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o644)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A link is made only where nothing is, so nobody's file is replaced; file systems without links get a copy. */
function claim(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw thrown
    copyFileSync(draft, path, constants.COPYFILE_EXCL)
  }
}

function alreadyThere(name: string): ConfigError {
  return new ConfigError(`${name} exists already; --force replaces it.`)
}
