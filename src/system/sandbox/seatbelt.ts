import { isInOneOf, isInside, realHome, realPath, type Sandbox, type SandboxRules } from './sandbox.ts'

/**
 * sandbox-exec (macOS). Files and other processes are out of reach. It has no process namespace, so exitgate still looks for processes
 * that the command left. It cannot replace the home with another folder either: reading the home is denied instead.
 */
export function seatbelt(program: string): Sandbox {
  return {
    name: 'sandbox-exec',
    canMount: false,
    endsAll: false,
    wrap: (argv, rules, env) => [program, '-p', profileOf(rules, realHome(env)), ...argv],
  }
}

/** A profile in Apple's language. Later rules win over earlier ones. */
export function profileOf(rules: SandboxRules, home: string): string {
  const below = (paths: readonly string[]) => paths.map((path) => `  (subpath ${quoted(realPath(path))})`).join('\n')
  const writable = [...rules.writable, rules.tmp, rules.home]
  const hidden = [home, ...rules.hidden]
  const kept = rules.readable.filter((path) => !rules.writable.includes(path) && isInOneOf(rules.writable, path))
  const lines = [
    '(version 1)',
    '(allow default)',
    '; Other processes: neither signals nor a look at them.',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny process-info* (target others))',
    '(allow process-info* (target same-sandbox))',
    '(deny mach-register)',
    '(deny appleevent-send)',
    '; Files: the machine is read-only, the home and the state of exitgate are hidden.',
    '(deny file-write*)',
    `(deny file-read* file-write*\n${below(hidden)})`,
    `(allow file-read-metadata\n${below(hidden.filter((path) => writable.some((other) => isInside(realPath(path), realPath(other)))))})`,
    `(allow file-read*\n${below(rules.readable)})`,
    `(allow file-read* file-write*\n${below(writable)}\n  (literal "/dev/null")\n  (literal "/dev/zero")\n  (literal "/dev/tty")\n  (literal "/dev/dtracehelper")\n  (regex #"^/dev/fd/"))`,
    `(deny file-write*\n${below(kept)})`,
    ...(rules.network ? [] : ['(deny network*)', '(allow network* (local unix-socket))']),
  ]
  return `${lines.filter((line) => !line.endsWith('\n)')).join('\n')}\n`
}

const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
