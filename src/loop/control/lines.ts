import type { Socket } from 'node:net'

/** Lines of a connection, one at a time. A connection that says too much, or ends in the middle of a line, gives no more. */
export function linesOf(socket: Socket, mostBytes: number): () => Promise<string | 'too long' | undefined> {
  let bytes = 0
  let buffer = Buffer.alloc(0)
  let over = false
  let wake: (() => void) | undefined
  const on = () => {
    wake?.()
    wake = undefined
  }
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= mostBytes) buffer = Buffer.concat([buffer, chunk])
    else socket.pause()
    on()
  })
  for (const event of ['end', 'close', 'error'] as const)
    socket.on(event, () => {
      over = true
      on()
    })
  return async () => {
    for (;;) {
      const end = buffer.indexOf(0x0a)
      if (end >= 0) {
        const line = buffer.toString('utf8', 0, end)
        buffer = buffer.subarray(end + 1)
        return line
      }
      if (bytes > mostBytes) return 'too long'
      if (over) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}
