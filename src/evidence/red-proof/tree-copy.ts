import { lstatSync, mkdirSync } from 'node:fs'
import { constants, copyFile, lstat, readlink, symlink, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isInside } from '../baseline/inside.ts'

export interface CopyLimits {
  /** Larger files are not copied: they are data that tests rarely need. */
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
}
export const COPY_LIMITS: CopyLimits = { fileBytes: 32 * 1024 * 1024, totalBytes: 2 * 1024 ** 3, files: 200_000 }

/** Files copied at a time: enough to keep a disk busy without using up file handles. */
const BATCH = 32

/**
 * Copies parts of a folder to the same paths in a new folder. It never writes through a link: it creates every folder and file of
 * the copy itself.
 */
export class TreeCopy {
  readonly from: string
  readonly to: string
  readonly #limits: CopyLimits
  readonly #folders = new Set<string>([''])
  readonly #skipped = new Set<string>()
  #bytes = 0
  #files = 0

  constructor(from: string, to: string, limits: CopyLimits) {
    this.from = from
    this.to = to
    this.#limits = limits
    mkdirSync(to)
  }

  /** The folders of the copy so far, as relative paths. The copy itself is the empty path. */
  get folders(): readonly string[] {
    return [...this.#folders]
  }

  /** What was not copied: too large, unreadable, a pipe or the like, or inside a folder that was replaced by a link. */
  get skipped(): readonly string[] {
    return [...this.#skipped].sort()
  }

  skip(path: string): void {
    this.#skipped.add(path)
  }

  /** The path in the copy for an absolute path in the original. */
  pathInCopy(path: string): string {
    return join(this.to, relative(this.from, path))
  }

  async addFiles(paths: readonly string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += BATCH) {
      await Promise.all(paths.slice(at, at + BATCH).map((path) => this.#copyOne(path)))
    }
  }

  async #copyOne(path: string): Promise<void> {
    const [from, to] = [join(this.from, path), join(this.to, path)]
    const stat = await lstat(from).catch(() => undefined)
    if (stat === undefined) return
    if (!this.folder(parentOf(path))) return this.skip(path)
    try {
      if (stat.isSymbolicLink()) return await this.link(path, await readlink(from))
      if (!stat.isFile() || stat.size > this.#limits.fileBytes) return this.skip(path)
      this.#count(stat.size)
      await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      // Build tools compare times to decide what to rebuild, so the copy keeps them.
      await utimes(to, stat.atime, stat.mtime)
    } catch (error) {
      if (error instanceof TooLarge) throw error
      this.skip(path)
    }
  }

  /** A link to something inside points to its copy. Any other link keeps its target. */
  async link(path: string, target: string): Promise<void> {
    const targetPath = resolve(dirname(join(this.from, path)), target)
    const inside = isInside(targetPath, this.from)
    const copyTarget = inside ? (isAbsolute(target) ? this.pathInCopy(targetPath) : target) : targetPath
    await symlink(copyTarget, join(this.to, path))
  }

  /** Creates a folder and its parents; false if it isn't a real folder in the original. */
  folder(path: string): boolean {
    if (this.#folders.has(path)) return true
    if (!this.folder(parentOf(path))) return false
    if (!lstatSync(join(this.from, path), { throwIfNoEntry: false })?.isDirectory()) return false
    try {
      mkdirSync(join(this.to, path))
    } catch {
      // A link or a file was already copied to this path.
      return false
    }
    this.#folders.add(path)
    return true
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#files += 1
    if (this.#bytes > this.#limits.totalBytes || this.#files > this.#limits.files) throw new TooLarge()
  }
}

export class TooLarge extends Error {
  constructor() {
    super('the tree is too large to copy')
  }
}

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
