// Full and read-only disks for the state, the workspace and the temporary folder.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENDLESS, makeProject, PROGRAM } from './project.mjs'

export const MEGABYTES = 3

/** Mounts a small disk for the work and unmounts it afterwards. */
export async function onSmallDisk(dir, work) {
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', disk])
  if (mounted.status !== 0) return { ok: true, skipped: 'needs root and tmpfs to mount a small disk' }
  try {
    return await work({
      disk,
      fill: () => spawnSync('sh', ['-c', `head -c ${(MEGABYTES + 1) * 1024 * 1024} /dev/zero > fill`], { cwd: disk }),
      free: () => rmSync(join(disk, 'fill'), { force: true }),
      readOnly: () => spawnSync('mount', ['-o', 'remount,ro', disk]),
    })
  } finally {
    spawnSync('umount', ['-l', disk])
  }
}

const exitgate = (project, args, { env = {}, cwd = project.dir } = {}) =>
  spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...project.env, ...env },
    encoding: 'utf8',
    timeout: 50_000,
    input: '',
  })
const run = (agent, ...more) => ['run', '--plain', '--max-iterations', '1', ...more, '--', 'sh', '-c', agent]

/** Checks the exit code and the message, and that there is no stack trace. */
function checkRun(ran, code, said) {
  const text = `${ran.stdout}${ran.stderr}`
  const trace = /^ {4}at |internal error|TypeError/m.exec(text)?.[0]
  const ok = ran.status === code && said.test(text) && trace === undefined
  return {
    ok,
    detail: ok ? `exit code ${ran.status}` : `exit code ${ran.status}, expected ${code} and ${said}\n${text}`,
  }
}

const all = (...results) => results.find(({ ok }) => !ok) ?? results[0]

export const rows = [
  {
    name: "the state's disk is full at the start: exit code 70, and nothing runs",
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, fill }) => {
        const project = makeProject(dir)
        fill()
        const env = { EXITGATE_STATE_DIR: join(disk, 'state') }
        return all(
          checkRun(exitgate(project, run('true'), { env }), 70, /no space left on .*--state-dir/),
          checkRun(exitgate(project, ['check'], { env }), 70, /no space left on .*--state-dir/),
        )
      }),
  },
  {
    name: "the agent fills the state's disk: exit code 70, and the run continues when there is space",
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, free }) => {
        const project = makeProject(dir, { 'exitgate.config.json': ENDLESS })
        const env = { EXITGATE_STATE_DIR: join(disk, 'state') }
        const fills = `head -c ${(MEGABYTES + 1) * 1024 * 1024} /dev/zero > ${disk}/fill; true`
        // One iteration can still fit into the last block of the journal.
        const many = ['--max-iterations', '8']
        const full = checkRun(exitgate(project, run(fills, ...many), { env }), 70, /can't record .*no space left/)
        free()
        return all(full, checkRun(exitgate(project, run('true', ...many, '--resume'), { env }), 2, /iteration limit/))
      }),
  },
  {
    name: "the agent fills the workspace's disk: the decision is made, and missing copies are reported",
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk }) => {
        const project = makeProject(dir)
        cpSync(project.dir, disk, { recursive: true })
        const fills = `head -c ${(MEGABYTES + 1) * 1024 * 1024} /dev/zero > fill; true`
        return checkRun(exitgate(project, run(fills), { cwd: disk }), 2, /status\.json was not written: ENOSPC/)
      }),
  },
  {
    name: 'the temporary folder is full: the tests are unknown, not passed',
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, fill }) => {
        const project = makeProject(dir)
        fill()
        return checkRun(exitgate(project, run('touch fixed'), { env: { TMPDIR: disk } }), 2, /iteration limit/)
      }),
  },
  {
    name: 'the workspace is read-only: the decision is made',
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, readOnly }) => {
        const project = makeProject(dir)
        cpSync(project.dir, disk, { recursive: true })
        readOnly()
        return all(
          checkRun(exitgate(project, run('true'), { cwd: disk }), 2, /was not written: EROFS/),
          checkRun(exitgate(project, ['check'], { cwd: disk }), 10, /was not written: EROFS/),
        )
      }),
  },
  {
    name: 'the state is read-only: exit code 70 with a remedy',
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, readOnly }) => {
        const project = makeProject(dir)
        readOnly()
        const env = { EXITGATE_STATE_DIR: join(disk, 'state') }
        return all(
          checkRun(exitgate(project, run('true'), { env }), 70, /--state-dir/),
          checkRun(exitgate(project, ['check'], { env }), 70, /--state-dir/),
        )
      }),
  },
  {
    name: 'the temporary folder is read-only: exit code 64 before the start',
    run: ({ dir }) =>
      onSmallDisk(dir, ({ disk, readOnly }) => {
        const project = makeProject(dir)
        readOnly()
        return checkRun(exitgate(project, run('true'), { env: { TMPDIR: disk } }), 64, /Set TMPDIR/)
      }),
  },
  {
    name: 'standard output is a full disk: the run continues',
    async run({ dir }) {
      const project = makeProject(dir)
      const line = `"${process.execPath}" "${PROGRAM}" run --plain --max-iterations 1 -- sh -c true > /dev/full 2> "${dir}/errors"`
      const ran = spawnSync('sh', ['-c', line], { cwd: project.dir, env: project.env, timeout: 50_000 })
      writeFileSync(join(dir, 'errors'), '', { flag: 'a' })
      const errors = readFileSync(join(dir, 'errors'), 'utf8')
      return { ok: ran.status === 2 && errors === '', detail: `exit code ${ran.status} ${errors}` }
    },
  },
]
