import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Streams } from '../../src/loop/agent/follow.ts'

/** A disk that is behind until it is told to go on. */
function slowDisk() {
  const taken: string[] = []
  let goOn = (): void => {}
  const write = (chunk: Buffer) => {
    taken.push(chunk.toString())
    return new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  return { taken, kept: { write }, goOn: () => goOn() }
}

it('a stream waits for the disk, and that is no silence', async () => {
  const stream = new PassThrough()
  const disk = slowDisk()
  const streams = new Streams()
  const heard: string[] = []
  streams.follow(stream, disk.kept, (chunk) => heard.push(chunk.toString()))
  stream.write('one')
  await expect.poll(() => heard).toEqual(['one'])
  stream.write('two')
  expect([stream.isPaused(), streams.silentMs]).toEqual([true, 0])
  disk.goOn()
  await expect.poll(() => heard).toEqual(['one', 'two'])
  disk.goOn()
  await expect.poll(() => stream.isPaused()).toBe(false)
  await expect.poll(() => streams.silentMs).toBeGreaterThan(0)
  expect(disk.taken).toEqual(['one', 'two'])
})

it('what the pipes still hold is waited for, and what never ends is not', async () => {
  const stream = new PassThrough()
  const streams = new Streams()
  streams.follow(stream, { write: () => undefined }, () => {})
  await streams.drain(new Promise(() => {}))
  await streams.drain(Promise.resolve())
  expect(stream.destroyed).toBe(false)
})
