const GO_EVENT = /"Action": ?"(?:pass|fail|run|output|skip|start|build-fail|build-output)"/

/** Turns the events of `go test -json` back into lines, as `go test -v` prints them; leaves any other text as it is. */
export function goEventText(output: string): string {
  if (!GO_EVENT.test(output)) return output
  const lines = output.split('\n').map((line) => {
    if (!line.startsWith('{')) return `${line}\n`
    try {
      const { Output: printed } = JSON.parse(line) as { Output?: unknown }
      return typeof printed === 'string' ? printed : ''
    } catch {
      return `${line}\n`
    }
  })
  return lines.join('')
}
