import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import { container } from '../../src/system/sandbox/container.ts'
import { projectFolders } from '../../src/system/sandbox/enter.ts'
import { outermost, toolchainsIn } from '../../src/system/sandbox/sandbox.ts'
import { profileOf } from '../../src/system/sandbox/seatbelt.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-sandboxes-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const rules = {
  cwd: '/p/app',
  writable: ['/p/app'],
  readable: ['/h/.cargo/bin'],
  hidden: ['/h/.local/state/exitgate'],
  home: '/private/home',
  tmp: '/private/tmp',
  network: true,
}

describe('the profile for macOS', () => {
  it('denies first, then allows what the command needs', () => {
    expect(profileOf(rules, '/h')).toBe(`(version 1)
(allow default)
; Other processes: neither signals nor a look at them.
(deny signal (target others))
(allow signal (target same-sandbox))
(deny process-info* (target others))
(allow process-info* (target same-sandbox))
(deny mach-register)
(deny appleevent-send)
; Files: the machine is read-only, the home and the state of exitgate are hidden.
(deny file-write*)
(deny file-read* file-write*
  (subpath "/h")
  (subpath "/h/.local/state/exitgate"))
(allow file-read*
  (subpath "/h/.cargo/bin"))
(allow file-read* file-write*
  (subpath "/p/app")
  (subpath "/private/tmp")
  (subpath "/private/home")
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/dtracehelper")
  (regex #"^/dev/fd/"))
`)
  })

  it('keeps what can only be read in a folder that can be changed', () => {
    const profile = profileOf({ ...rules, readable: ['/p/app/settings.json', '/p/other'] }, '/h')
    expect(profile.trim().split('\n').slice(-2)).toEqual(['(deny file-write*', '  (subpath "/p/app/settings.json"))'])
  })

  it('quotes paths and can turn the network off', () => {
    const profile = profileOf({ ...rules, writable: ['/p/a "b" \\c'], network: false }, '/h')
    expect(profile).toContain('(subpath "/p/a \\"b\\" \\\\c")')
    expect(profile).toContain('(deny network*)')
  })
})

describe('a container', () => {
  it('has the project under its own path, no capabilities, and no value of a variable on its command line', () => {
    const project = join(root, 'app')
    mkdirSync(project, { recursive: true })
    const { wrap } = container('/usr/bin/docker', 'docker', 'node:22')
    const line = wrap(
      ['npm', 'test'],
      { ...rules, cwd: project, writable: [project], network: false },
      { PATH: '/bin', HOME: '/h', API_KEY: 'secret-value' },
    ).join(' ')
    expect(line).toMatch(
      /^\/usr\/bin\/docker run --rm --init --interactive --name exitgate-[0-9a-f]{16} --cap-drop ALL /,
    )
    expect(line).toContain(`--volume ${project}:${project}:rw --env API_KEY node:22 npm test`)
    expect(line).toContain('--network none')
    expect(line).not.toMatch(/secret-value|--env (?:PATH|HOME)/)
  })
})

describe('choosing a sandbox', () => {
  const rows: readonly (readonly [string, Parameters<typeof chooseSandbox>[0], string])[] = [
    ['off', { mode: 'off', env: {} }, 'it is turned off'],
    [
      'no bubblewrap',
      { mode: 'auto', env: { PATH: '/nowhere' }, platform: 'linux' },
      'bubblewrap is not installed. Install it (for example: apt install bubblewrap)',
    ],
    [
      'another system',
      { mode: 'auto', env: {}, platform: 'win32' },
      'there is no sandbox for win32. Use WSL, or --sandbox docker',
    ],
    [
      'a container without an image',
      { mode: 'docker', env: {} },
      'no image was named. Pass --image NAME, or set sandbox.image',
    ],
    ['a missing program', { mode: 'podman', image: 'a', env: { PATH: '/nowhere' } }, 'podman is not installed'],
  ]
  it.each(rows)('%s', (_, options, why) => {
    expect(chooseSandbox(options)).toEqual({ why })
  })
})

describe('what a command may change', () => {
  it('is the whole repository, but never the home or the machine', () => {
    const [home, project] = [join(root, 'home'), join(root, 'home/project')]
    mkdirSync(join(project, 'packages/a'), { recursive: true })
    expect(projectFolders(join(project, 'packages/a'), home)).toEqual([join(project, 'packages/a')])
    mkdirSync(join(project, '.git'))
    expect(projectFolders(join(project, 'packages/a'), home)).toEqual([project])
    rmSync(join(project, '.git'), { recursive: true })
    mkdirSync(join(home, '.git'))
    expect(projectFolders(join(project, 'packages/a'), home)).toEqual([join(project, 'packages/a')])
    writeFileSync(join(project, '.git'), `gitdir: ${join(root, 'elsewhere')}\n`)
    expect(projectFolders(project, home)).toEqual([project])
    for (const name of ['HEAD', 'objects', 'refs']) mkdirSync(join(root, 'elsewhere', name), { recursive: true })
    expect(projectFolders(project, home)).toEqual([project, join(root, 'elsewhere')])
  })

  it('programs in the home: the usual places, and those of PATH with what is next to them', () => {
    const home = join(root, 'tools')
    for (const path of ['.cargo/bin', 'bin', '.opt/node/bin', '.opt/node/lib', 'secret'])
      mkdirSync(join(home, path), { recursive: true })
    const PATH = [join(home, 'bin'), join(home, '.opt/node/bin'), '/usr/bin'].join(':')
    expect(toolchainsIn(home, { PATH })).toEqual([join(home, '.cargo/bin'), join(home, '.opt/node'), join(home, 'bin')])
  })

  it('a path below another one is left out', () => {
    expect(outermost(['/a/b', '/a', '/ab', '/c/d', '/a/b/c'])).toEqual(['/a', '/ab', '/c/d'])
  })
})
