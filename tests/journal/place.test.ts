import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type PlaceOptions, stateDirFor } from '../../src/journal/place.ts'
import { tempFolder } from './samples.ts'

const root = realpathSync(tempFolder())
const workspace = join(root, 'my work')
mkdirSync(workspace)
const home = join(root, 'home')
const linux: PlaceOptions = { env: {}, platform: 'linux', home }
const folderOf = (dir: string) => dir.slice(0, dir.lastIndexOf('/'))

describe('the state folder of a workspace', () => {
  const rows: readonly [string, Partial<PlaceOptions>, string][] = [
    ['the user’s state folder', {}, join(home, '.local/state/exitgate')],
    ['the same on macOS', { platform: 'darwin' }, join(home, 'Library/Application Support/exitgate')],
    ['the same on Windows', { platform: 'win32' }, join(home, 'AppData/Local/exitgate')],
    [
      'LOCALAPPDATA on Windows',
      { platform: 'win32', env: { LOCALAPPDATA: join(root, 'l') } },
      join(root, 'l/exitgate'),
    ],
    ['XDG_STATE_HOME', { env: { XDG_STATE_HOME: join(root, 'xdg') } }, join(root, 'xdg/exitgate')],
    [
      'XDG_STATE_HOME on macOS',
      { platform: 'darwin', env: { XDG_STATE_HOME: join(root, 'xdg') } },
      join(root, 'xdg/exitgate'),
    ],
    ['not a relative XDG_STATE_HOME', { env: { XDG_STATE_HOME: 'xdg' } }, join(home, '.local/state/exitgate')],
    [
      'EXITGATE_STATE_DIR first',
      { env: { EXITGATE_STATE_DIR: join(root, 'e'), XDG_STATE_HOME: root } },
      join(root, 'e'),
    ],
    [
      '--state-dir before everything else',
      { stateDir: join(root, 's'), env: { EXITGATE_STATE_DIR: join(root, 'e') } },
      join(root, 's'),
    ],
    ['a relative --state-dir', { stateDir: 'some/where' }, resolve('some/where')],
    ['no home folder needed with --state-dir', { stateDir: join(root, 's'), home: '' }, join(root, 's')],
  ]
  it.each(rows)('is %s', (_name, options, expected) => {
    const place = stateDirFor(workspace, { ...linux, ...options })
    expect(folderOf(place.dir)).toBe(expected)
    expect(place).not.toHaveProperty('warning')
  })

  it('has a readable and unique name', () => {
    expect(stateDirFor(workspace, linux).dir).toMatch(/\/my-work-[0-9a-f]{12}$/)
    expect(stateDirFor('/', { ...linux, stateDir: '/s' }).dir).toMatch(/^\/s\/root-[0-9a-f]{12}$/)
  })

  it('differs for two workspaces with the same name, and is the same for two paths to one workspace', () => {
    for (const parent of ['a', 'b']) mkdirSync(join(root, parent, 'same'), { recursive: true })
    symlinkSync(join(root, 'a/same'), join(root, 'link'))
    const [a, b, link] = ['a/same', 'b/same', 'link'].map((path) => stateDirFor(join(root, path), linux).dir)
    expect(a).not.toBe(b)
    expect(link).toBe(a)
    expect(stateDirFor(`${workspace}/../my work/`, linux)).toEqual(stateDirFor(workspace, linux))
  })

  const inside: readonly [string, Partial<PlaceOptions>][] = [
    ['a folder in the workspace', { stateDir: join(workspace, '.state') }],
    ['the workspace itself', { stateDir: workspace }],
    ['a link into the workspace', { stateDir: join(root, 'into') }],
    ['a home folder in the workspace', { home: workspace }],
  ]
  symlinkSync(workspace, join(root, 'into'))
  it.each(inside)('warns if the agent can reach it: %s', (_name, options) => {
    expect(stateDirFor(workspace, { ...linux, ...options }).warning).toMatch(
      /inside the workspace, so the agent can change it/,
    )
  })

  it('does not warn if only the prefix of the path is the same', () => {
    expect(stateDirFor(workspace, { ...linux, stateDir: `${workspace}-state` })).not.toHaveProperty('warning')
  })

  const refused: readonly [string, Partial<PlaceOptions>, RegExp][] = [
    ['an empty --state-dir', { stateDir: '' }, /--state-dir is empty/],
    ['an empty EXITGATE_STATE_DIR', { env: { EXITGATE_STATE_DIR: ' ' } }, /EXITGATE_STATE_DIR is empty/],
    ['no home', { home: '' }, /no home folder found .* --state-dir/],
  ]
  it.each(refused)('is rejected: %s', (_name, options, sentence) => {
    const place = () => stateDirFor(workspace, { ...linux, ...options })
    expect(place).toThrow(sentence)
    expect(place).toThrow(expect.objectContaining({ name: 'JournalError', exitCode: 64 }))
  })
})
