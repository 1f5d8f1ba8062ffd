import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE, GREEN, project, RED } from './run-cli.ts'

/** Two decisions: a rejected claim and a verified one. */
async function decided(files: Readonly<Record<string, string>> = {}) {
  const made = project({ 'done.txt': DONE, 'red.json': RED, 'green.json': GREEN, ...files })
  await made.run(['check', '--transcript', 'done.txt', '--evidence', 'red.json'])
  await made.run(['check', '--transcript', 'done.txt', '--evidence', 'green.json'])
  return made
}

describe('exitgate report', () => {
  it('writes the page to .exitgate and prints its path', async () => {
    const { run, dir } = await decided()
    const path = join(dir, '.exitgate', 'report.html')
    expect(await run(['report'])).toMatchObject({ code: 0, stdout: `${path}\n`, stderr: '' })
    expect(readFileSync(path, 'utf8')).toMatch(
      /^<!doctype html>[\s\S]*<title>verified · work · exitgate report<\/title>/,
    )
    expect(readFileSync(join(dir, '.exitgate', '.gitignore'), 'utf8')).toBe('*\n')
  })

  it('prints JSON and Markdown', async () => {
    const { run } = await decided()
    const { json } = await run(['report', '--json'])
    expect(json).toMatchObject({ v: 1, preset: 'default', totals: { iterations: 2, claims: 2, refused: 1 } })
    expect((await run(['report', '--format', 'json'])).json).toEqual(json)
    expect((await run(['report', '--format', 'markdown'])).stdout).toMatch(/^## ✅ exitgate: verified\n/)
    expect((await run(['report', '--out', '-'])).stdout).toMatch(/^<!doctype html>/)
  })

  it('--out sets the file, and no other file is left there', async () => {
    const { run, root } = await decided()
    mkdirSync(join(root, 'out'))
    writeFileSync(join(root, 'out', 'elsewhere'), 'untouched')
    symlinkSync(join(root, 'out', 'elsewhere'), join(root, 'out', 'r.md'))
    const { stdout } = await run(['report', '--format', 'markdown', '--out', '../out/r.md'])
    expect(stdout).toBe(`${join(root, 'out', 'r.md')}\n`)
    expect(readFileSync(join(root, 'out', 'elsewhere'), 'utf8')).toBe('untouched')
    expect(readdirSync(join(root, 'out')).sort()).toEqual(['elsewhere', 'r.md'])
  })

  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['--run', 'nope'], 'There is no run nope here. exitgate log --events lists the runs.'],
    [['--format', 'pdf'], '--format must be one of html, markdown, json, not "pdf".'],
    [['--transcripts', 'some'], '--transcripts must be a whole number of at least 1, not "some".'],
    [['--open', '--out', '-'], '--open needs an HTML file. Leave out --format and --out -.'],
    [['--out', 'no/such/folder/r.html'], 'Pass a file in an existing folder.'],
  ]
  it.each(wrong)('%j is refused with one line', async (args, sentence) => {
    const { run } = await decided()
    const { code, stderr } = await run(['report', ...args])
    expect(code).toBe(64)
    expect(stderr).toContain(sentence)
    expect(stderr.trim().split('\n').length).toBe(1)
  })

  it('reports that there are no runs', async () => {
    const { run, dir } = project()
    const { code, stderr } = await run(['report'])
    expect([code, stderr]).toEqual([64, expect.stringContaining('No runs here yet.')])
    expect(existsSync(join(dir, '.exitgate'))).toBe(false)
  })
})

describe('symbolic links from the agent', () => {
  it.each(['folder', 'file'])('to a %s are not followed', async (what) => {
    const { run, dir, root } = project({ 'done.txt': DONE, 'red.json': RED })
    await run(['check', '--transcript', 'done.txt', '--evidence', 'red.json', '--no-files'])
    const target = join(root, 'target')
    mkdirSync(target)
    writeFileSync(join(target, 'report.html'), 'mine')
    const folder = join(dir, '.exitgate')
    rmSync(folder, { recursive: true, force: true })
    if (what === 'folder') symlinkSync(target, folder)
    else {
      mkdirSync(folder)
      symlinkSync(join(target, 'report.html'), join(folder, 'report.html'))
    }
    const { code, stderr } = await run(['report'])
    expect(code).toBe(64)
    expect(stderr).toContain('it is a symbolic link; remove it, or pass another file with --out FILE')
    expect(readFileSync(join(target, 'report.html'), 'utf8')).toBe('mine')
  })
})

describe('kept output', () => {
  it('is listed, and embedded only with --transcripts, without secrets and without following links', async () => {
    const { run, state, root } = await decided()
    const [name] = readdirSync(state)
    const runs = (await run(['report', '--json'])).json.run
    const folder = join(state, name!, 'transcripts', String(runs))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(root, 'private'), 'private words')
    writeFileSync(join(folder, '1.1.out'), `${'x'.repeat(2000)} API_TOKEN=abcdef123456 the end`)
    symlinkSync(join(root, 'private'), join(folder, '1.1.prompt.md'))
    const named = (await run(['report', '--json'])).stdout
    expect(named).toContain(`transcripts/${runs}/1.1.out`)
    expect(named).not.toContain('the end')
    const embedded = (await run(['report', '--json', '--transcripts', '1'])).stdout
    expect(embedded).toContain('API_TOKEN=[redacted] the end')
    expect(embedded).toContain('"left":1007')
    expect(embedded).not.toContain('private words')
  })
})

describe('--open', () => {
  it("opens the page with the system's program", async () => {
    const { run, dir, root } = await decided()
    const opener = join(root, 'xdg-open')
    // The file is renamed into place, so the test never reads half of it.
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf '%s' "$1" > '${root}/opened.part' && mv '${root}/opened.part' '${root}/opened'\n`,
    )
    chmodSync(opener, 0o755)
    expect((await run(['report', '--open'], { PATH: `${root}:/bin:/usr/bin` })).code).toBe(0)
    await expect.poll(() => existsSync(join(root, 'opened'))).toBe(true)
    expect(readFileSync(join(root, 'opened'), 'utf8')).toBe(join(dir, '.exitgate', 'report.html'))
  })

  it('warns if there is no browser', async () => {
    const { run, root } = await decided()
    const { code, stderr } = await run(['report', '--open'], { PATH: root })
    expect([code, stderr]).toEqual([0, expect.stringContaining('No browser found.')])
  })
})
