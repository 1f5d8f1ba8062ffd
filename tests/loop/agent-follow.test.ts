import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Streams } from '../../src/loop/agent/follow.ts'

/** A slow disk: each write ends when the test calls `finishWrite`. */
function slowDisk() {
  const taken: string[] = []
  let finishWrite = (): void => {}
  const write = (chunk: Buffer) => {
    taken.push(chunk.toString())
    return new Promise<void>((resolve) => {
      finishWrite = resolve
    })
  }
  return { taken, kept: { write }, finishWrite: () => finishWrite() }
}

it('a stream waits for the disk, and that does not count as silence', async () => {
  const stream = new PassThrough()
  const disk = slowDisk()
  const streams = new Streams()
  const heard: string[] = []
  streams.follow(stream, disk.kept, (chunk) => heard.push(chunk.toString()))
  stream.write('one')
  await expect.poll(() => heard).toEqual(['one'])
  stream.write('two')
  expect([stream.isPaused(), streams.silentMs]).toEqual([true, 0])
  disk.finishWrite()
  await expect.poll(() => heard).toEqual(['one', 'two'])
  disk.finishWrite()
  await expect.poll(() => stream.isPaused()).toBe(false)
  await expect.poll(() => streams.silentMs).toBeGreaterThan(0)
  expect(disk.taken).toEqual(['one', 'two'])
})

it('waits for data left in the pipes, but not for an endless writer', async () => {
  const stream = new PassThrough()
  const streams = new Streams()
  streams.follow(stream, { write: () => undefined }, () => {})
  await streams.drain(new Promise(() => {}))
  await streams.drain(Promise.resolve())
  expect(stream.destroyed).toBe(false)
})
