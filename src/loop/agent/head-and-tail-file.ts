import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** If more bytes than this wait for the disk, the writer has to wait. */
const MAX_WAITING = 1024 * 1024
const PART = 1024 * 1024
const FRESH = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * A file with a maximum size: the first quarter keeps the start, the rest is a ring buffer for the end. When everything is written,
 * the ring is put in order, with a line that says how many bytes were left out. A disk error is reported once.
 */
export class HeadAndTailFile {
  readonly path: string
  readonly #head: number
  readonly #ring: number
  #file: FileHandle | undefined
  #waiting: Buffer[] = []
  #length = 0
  #work: Promise<void> | undefined
  /** Bytes written so far. */
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

  /** Returns a promise if the disk is slow: wait for it before the next write. */
  write(bytes: Buffer): Promise<void> | undefined {
    if (this.#problem !== undefined || bytes.length === 0) return undefined
    this.#waiting.push(bytes)
    this.#length += bytes.length
    this.#work ??= this.#drain()
    return this.#length > MAX_WAITING ? this.#work : undefined
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
    // More data may have arrived during the last write.
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
    if (there?.ino !== mine.ino || there.dev !== mine.dev) throw new Error('the file was deleted while the agent ran')
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
      this.#problem ??= `The agent's output could not be saved to ${this.path}: ${reasonOf(error as NodeJS.ErrnoException)}.`
    }
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'no permission to write it'
  return message
}

/** A new file that only this user can read, in such a folder. An existing file or link is removed. */
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
