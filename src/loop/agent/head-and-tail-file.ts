import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** So much may wait for the disk before whoever writes is asked to wait. */
const MOST_WAITING = 1024 * 1024
const PART = 1024 * 1024
const FRESH = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * A file that stays within its size: the first quarter is kept, the other three are a ring. When all is written the ring
 * is put in order, with a line before it that says how much was left out. A disk that fails is told once and no more.
 */
export class HeadAndTailFile {
  readonly path: string
  readonly #head: number
  readonly #ring: number
  #file: FileHandle | undefined
  #waiting: Buffer[] = []
  #length = 0
  #work: Promise<void> | undefined
  /** Bytes that were handed to the disk so far. */
  #written = 0
  #problem: string | undefined

  constructor(path: string, maxBytes: number) {
    this.path = path
    this.#head = Math.floor(maxBytes / 4)
    this.#ring = Math.max(1, maxBytes - this.#head)
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get isEmpty(): boolean {
    return this.#written === 0
  }

  /** Gives a promise when the disk is behind: nothing more should come before it is settled. */
  write(bytes: Buffer): Promise<void> | undefined {
    if (this.#problem !== undefined || bytes.length === 0) return undefined
    this.#waiting.push(bytes)
    this.#length += bytes.length
    this.#work ??= this.#drain()
    return this.#length > MOST_WAITING ? this.#work : undefined
  }

  async end(): Promise<void> {
    while (this.#work !== undefined) await this.#work
    if (this.#file === undefined) return
    if (this.#problem === undefined) await this.#try(() => this.#settle())
    await this.#file.close().catch(() => {})
  }

  async #drain(): Promise<void> {
    await this.#try(async () => {
      this.#file ??= await fresh(this.path)
      while (this.#waiting.length > 0) {
        const bytes = Buffer.concat(this.#waiting)
        this.#forget()
        await this.#put(bytes)
      }
    })
    // Something may have come while the last of it was being written.
    this.#work = this.#waiting.length > 0 && this.#problem === undefined ? this.#drain() : undefined
  }

  #forget(): void {
    this.#waiting = []
    this.#length = 0
  }

  async #put(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const at = this.#placeOf(this.#written)
      const room = (at < this.#head ? this.#head : this.#head + this.#ring) - at
      const { bytesWritten } = await this.#file!.write(bytes, from, Math.min(room, bytes.length - from), at)
      from += bytesWritten
      this.#written += bytesWritten
    }
  }

  #placeOf(offset: number): number {
    return offset < this.#head ? offset : this.#head + ((offset - this.#head) % this.#ring)
  }

  async #settle(): Promise<void> {
    const file = this.#file!
    const [mine, there] = await Promise.all([file.stat(), lstat(this.path).catch(() => undefined)])
    if (there?.ino !== mine.ino || there.dev !== mine.dev) throw new Error('it was deleted while the agent ran')
    const leftOut = this.#written - this.#head - this.#ring
    if (leftOut <= 0) return
    const whole = `${this.path}.part`
    const ordered = await fresh(whole)
    try {
      const cut = this.#placeOf(this.#written)
      await copy(file, ordered, 0, this.#head)
      await ordered.appendFile(`\n[${leftOut} bytes left out]\n`)
      await copy(file, ordered, cut, this.#head + this.#ring)
      await copy(file, ordered, this.#head, cut)
      await rename(whole, this.path)
    } catch (error) {
      await rm(whole, { force: true }).catch(() => {})
      throw error
    } finally {
      await ordered.close()
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#forget()
      this.#problem ??= `the output of the agent is not kept in ${this.path}: ${reasonOf(error as NodeJS.ErrnoException)}`
    }
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'it may not be written'
  return message
}

/** A new file for this user alone, in a folder for this user alone. What stood there is not followed and not kept. */
async function fresh(path: string): Promise<FileHandle> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`)
  await rm(path, { force: true })
  return open(path, FRESH, 0o600)
}

async function copy(from: FileHandle, to: FileHandle, start: number, end: number): Promise<void> {
  const part = Buffer.allocUnsafe(PART)
  for (let at = start; at < end; ) {
    const { bytesRead } = await from.read(part, 0, Math.min(PART, end - at), at)
    if (bytesRead === 0) return
    await to.appendFile(part.subarray(0, bytesRead))
    at += bytesRead
  }
}
