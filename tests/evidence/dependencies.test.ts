import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { BaselineError } from '../../src/evidence/baseline/store.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { tamperingCheck } from '../../src/evidence/checks/tampering.ts'
import { type Project, project } from './git-project.ts'

const json = (value: unknown) => `${JSON.stringify(value)}\n`

interface Row {
  readonly name: string
  readonly work: (p: Project) => unknown
  /** Details of the findings that block, as parts. None: honest work. */
  readonly blocks?: readonly string[]
  readonly warns?: readonly string[]
}

const take = (p: Project) =>
  takeBaseline({ workspace: p.workspace, commands: [], evidence: {}, tree: 't', at: 1 }, p.state)

async function findingsOf(p: Project, claim = true) {
  const baseline = openBaseline(p.state)!
  const context = { workspace: p.workspace, baseline, claim, tree: 't', taskTexts: [], deadlineMs: 60_000 }
  const [evidence] = await tamperingCheck([]).collect(context)
  const all = (evidence?.changes ?? []).filter(({ kind }) => kind === 'dependency-changed')
  return { blocks: all.filter(({ blocks }) => blocks), warns: all.filter(({ blocks }) => !blocks) }
}

async function judge(
  start: Readonly<Record<string, string>>,
  { work, blocks = [], warns = [] }: Row,
  prepare?: (p: Project) => void,
) {
  const p = project(start, { git: false })
  prepare?.(p)
  await take(p)
  await work(p)
  const found = await findingsOf(p)
  expect(found.blocks.map(({ file, detail }) => `${file}: ${detail}`)).toEqual(
    blocks.map((text) => expect.stringContaining(text)),
  )
  expect(found.warns.map(({ detail }) => detail)).toEqual(warns.map((text) => expect.stringContaining(text)))
}

const lock = (packages: Readonly<Record<string, string>>) =>
  json({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      Object.entries(packages).map(([path, version]) => [path, { version, integrity: `sha512-${path}${version}` }]),
    ),
  })
const RUNNER = { 'node_modules/runner': '1.0.0', 'node_modules/left': '1.0.0', 'node_modules/@a/b': '2.0.0' }
const NODE = {
  'package.json': json({ devDependencies: { runner: '1' }, dependencies: { left: '1', '@a/b': '2' } }),
  'package-lock.json': lock(RUNNER),
  'src/a.js': '1\n',
  'tests/a.test.js': '1\n',
  'node_modules/.package-lock.json': '{}',
  'node_modules/runner/package.json': json({ name: 'runner', version: '1.0.0', bin: { runner: './run.js' } }),
  'node_modules/runner/run.js': 'run()\n',
  'node_modules/left/package.json': json({ name: 'left', version: '1.0.0' }),
  'node_modules/left/index.js': 'left()\n',
  'node_modules/@a/b/package.json': json({ name: '@a/b', version: '2.0.0' }),
  'node_modules/@a/b/index.js': 'b()\n',
}
const bin = (p: Project, name: string, target: string, folder = 'node_modules') => {
  mkdirSync(join(p.dir, folder, '.bin'), { recursive: true })
  rmSync(join(p.dir, folder, '.bin', name), { force: true })
  symlinkSync(target, join(p.dir, folder, '.bin', name))
}
const install = (p: Project, name: string, version: string, place = 'node_modules') =>
  p.write({
    [`${place}/${name}/package.json`]: json({ name, version, bin: { [name]: 'cli.js' } }),
    [`${place}/${name}/cli.js`]: `${version}\n`,
  })

/** Everything is written again, as a reinstallation does. */
function rewrite(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) rewrite(path)
    else if (entry.isFile()) {
      const text = readFileSync(path)
      rmSync(path)
      writeFileSync(path, text)
    }
  }
}

const SHIM = (target: string) => `#!/bin/sh
basedir=$(dirname "$(echo "$0" | sed -e 's,\\\\,/,g')")

case \`uname\` in
    *CYGWIN*|*MINGW*|*MSYS*)
        if command -v cygpath > /dev/null 2>&1; then
            basedir=\`cygpath -w "$basedir"\`
        fi
    ;;
esac

if [ -z "$NODE_PATH" ]; then
  export NODE_PATH="/x/node_modules"
else
  export NODE_PATH="/x/node_modules:$NODE_PATH"
fi
if [ -x "$basedir/node" ]; then
  exec "$basedir/node"  "$basedir/${target}" "$@"
else
  exec node  "$basedir/${target}" "$@"
fi
`

const node: readonly Row[] = [
  { name: 'nothing', work: () => {} },
  {
    name: 'a file of a package edited',
    work: (p) => p.write({ 'node_modules/runner/run.js': 'exit(0)\n' }),
    blocks: [
      'node_modules/runner/run.js: The installed files of runner were changed since the start. Tests may load it. Run `npm ci`, or add it to the project.',
    ],
  },
  {
    name: 'the same size, and the times put back',
    work: (p) => {
      const file = join(p.dir, 'node_modules/left/index.js')
      const { atime, mtime } = statSync(file)
      writeFileSync(file, 'fake()\n')
      utimesSync(file, atime, mtime)
    },
    blocks: ['files of left were changed'],
  },
  {
    name: 'another file renamed over it, with its times',
    work: (p) => {
      const [file, other] = [join(p.dir, 'node_modules/left/index.js'), join(p.dir, 'node_modules/left/x.js')]
      const { atime, mtime } = statSync(file)
      writeFileSync(other, 'fake()\n')
      utimesSync(other, atime, mtime)
      renameSync(other, file)
    },
    blocks: ['files of left were changed'],
  },
  {
    name: 'a file added to a package with a scope',
    work: (p) => p.write({ 'node_modules/@a/b/index.json': '{}' }),
    blocks: ['files of @a/b were changed'],
  },
  {
    name: 'a package that no lock file lists',
    work: (p) => install(p, 'helper', '1.0.0'),
    blocks: ['helper was installed since the start, but package-lock.json does not list it.'],
  },
  {
    name: 'a copy of the runner next to the tests',
    work: (p) => install(p, 'runner', '1.0.0', 'tests/node_modules'),
    blocks: [
      'tests/node_modules/runner/cli.js: runner was installed since the start, but package-lock.json does not list it',
    ],
  },
  {
    name: 'a copy of a package inside another',
    work: (p) => install(p, 'left', '1.0.0', 'node_modules/runner/node_modules'),
    blocks: ['left was installed since the start, but package-lock.json does not list it'],
  },
  {
    name: 'a program that no package declares',
    work: (p) => {
      p.write({ 'node_modules/.bin/node': '#!/bin/sh\necho ok\n' })
      chmodSync(join(p.dir, 'node_modules/.bin/node'), 0o755)
    },
    blocks: ['.bin/node was installed since the start, but no package declares this program'],
  },
  {
    name: 'a program redirected to another file',
    work: (p) => bin(p, 'runner', '../../src/a.js'),
    blocks: ['.bin/runner were changed since the start: no package declares this program'],
  },
  {
    name: 'a program redirected to another file of its package',
    work: (p) => bin(p, 'runner', '../runner/package.json'),
    blocks: ['.bin/runner'],
  },
  {
    name: 'a package replaced by a link to a folder of the project',
    work: (p) => {
      p.remove('node_modules/left')
      p.write({ 'fake/index.js': '1' })
      symlinkSync('../fake', join(p.dir, 'node_modules/left'))
    },
    blocks: ['files of left were changed since the start: it leads to'],
  },
  {
    name: 'a package replaced by a link to one of the same name',
    work: (p) => {
      p.remove('node_modules/left')
      p.write({ 'fake/index.js': '1', 'fake/package.json': json({ name: 'left' }) })
      symlinkSync('../fake', join(p.dir, 'node_modules/left'))
    },
    blocks: ['files of left were changed since the start: it leads to'],
  },
  {
    name: 'the folder replaced by a link',
    work: (p) => {
      renameSync(join(p.dir, 'node_modules'), join(p.dir, 'real_modules'))
      symlinkSync('real_modules', join(p.dir, 'node_modules'))
    },
    blocks: ['node_modules: node_modules led to'],
  },
  {
    name: 'the lock file changed, but not for this package',
    work: (p) => {
      p.write({ 'package-lock.json': lock({ ...RUNNER, 'node_modules/new': '1.0.0' }) })
      install(p, 'new', '1.0.0')
      p.write({ 'node_modules/left/index.js': 'fake()\n' })
    },
    blocks: ['files of left were changed'],
    warns: ['1 installed package changed together with package-lock.json: new. Review it.'],
  },
  { name: 'everything installed again', work: (p) => rewrite(join(p.dir, 'node_modules')) },
  {
    name: 'caches and notes of tools',
    work: (p) =>
      p.write({
        'node_modules/.cache/babel/a.json': '1',
        'node_modules/.vite/deps/a.js': '1',
        'node_modules/.vitest/results.json': '1',
        'node_modules/.package-lock.json': '{ }',
        'node_modules/.modules.yaml': '1',
      }),
  },
  {
    name: 'a package added with the lock file',
    work: (p) => {
      p.write({ 'package-lock.json': lock({ ...RUNNER, 'node_modules/new': '1.0.0' }) })
      install(p, 'new', '1.0.0')
      bin(p, 'new', '../new/cli.js')
    },
    warns: ['1 installed package changed together with package-lock.json: new. Review it.'],
  },
  {
    name: 'a package updated with the lock file',
    work: (p) => {
      p.write({ 'package-lock.json': lock({ ...RUNNER, 'node_modules/left': '1.0.1' }) })
      install(p, 'left', '1.0.1')
    },
    warns: ['1 installed package changed together with package-lock.json: left. Review it.'],
  },
  { name: 'a package removed', work: (p) => p.remove('node_modules/left') },
  {
    name: 'a patch of the project',
    work: (p) => p.write({ 'patches/left+1.0.0.patch': '1', 'node_modules/left/index.js': 'patched()\n' }),
    warns: ['1 installed package changed together with a patch: left. Review it.'],
  },
  {
    name: 'a package of the same repository',
    work: (p) => {
      p.write({ 'packages/own/package.json': json({ name: 'own' }) })
      symlinkSync('../packages/own', join(p.dir, 'node_modules/own'))
    },
  },
  {
    name: 'a client generated from a schema',
    work: (p) => p.write({ 'node_modules/.prisma/client/index.js': '1' }),
    warns: ['1 installed package changed together with package-lock.json: .prisma. Review it.'],
  },
]

describe('node_modules', () => {
  it.each(node.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    await judge(NODE, row, (p) => bin(p, 'runner', '../runner/run.js'))
  })

  const { 'package-lock.json': _lock, ...unlocked } = NODE
  const without: readonly Row[] = [
    {
      name: 'a file edited',
      work: (p) => p.write({ 'node_modules/left/index.js': '2' }),
      blocks: ['files of left were changed'],
    },
    {
      name: 'a package nobody asks for',
      work: (p) => install(p, 'helper', '1'),
      blocks: ['package.json does not ask for it'],
    },
    {
      name: 'a package and what it needs, added to package.json',
      work: (p) => {
        p.write({ 'package.json': json({ dependencies: { left: '1', '@a/b': '2', runner: '1', new: '1' } }) })
        install(p, 'new', '1')
        install(p, 'deep', '1')
        p.write({ 'node_modules/new/package.json': json({ name: 'new', dependencies: { deep: '1' } }) })
      },
    },
  ]
  it.each(without.map((row) => [row.name, row] as const))('without a lock file: %s', async (_name, row) => {
    await judge(unlocked, row)
  })

  const absent = Object.fromEntries(Object.entries(NODE).filter(([path]) => !path.startsWith('node_modules/')))
  const first: readonly Row[] = [
    {
      name: 'what the lock file lists',
      work: (p) => {
        p.write(NODE)
        bin(p, 'runner', '../runner/run.js')
      },
    },
    {
      name: 'and a program of its own',
      work: (p) => p.write({ ...NODE, 'node_modules/.bin/npm': 'exit 0' }),
      blocks: ['no package declares this program'],
    },
  ]
  it.each(first.map((row) => [row.name, row] as const))('the first installation: %s', async (_name, row) => {
    await judge(absent, row)
  })

  it.each<readonly [name: string, text: string, blocked: boolean]>([
    ['as pnpm writes it', SHIM('../runner/run.js'), false],
    ['with another line', `${SHIM('../runner/run.js')}exit 0\n`, true],
    ['with a command in a value', SHIM('../runner/run.js').replace('"/x/node_modules"', '"$(id)"'), true],
    ['for another file', SHIM('../left/index.js'), true],
  ])('a small script instead of a link, %s', async (_name, text, blocked) => {
    const work = (p: Project) => p.write({ 'node_modules/.bin/runner': text })
    await judge(NODE, { name: '', work, ...(blocked && { blocks: ['no package declares this program'] }) })
  })

  it('only a claim looks at installed files', async () => {
    const p = project(NODE, { git: false })
    await take(p)
    p.write({ 'node_modules/left/index.js': 'fake()\n' })
    expect((await findingsOf(p, false)).blocks).toEqual([])
  })

  it('many packages are a few findings', async () => {
    const work = (p: Project) => {
      for (let n = 10; n < 40; n++) install(p, `p${n}`, '1')
    }
    const named = Array.from({ length: 10 }, (_, n) => `p${n + 10} was installed`)
    const blocks = [
      ...named,
      '20 more packages changed since the start without a change in the lock file: p20, p21',
    ].sort()
    const p = project(NODE, { git: false })
    await take(p)
    work(p)
    expect((await findingsOf(p)).blocks.map(({ detail }) => detail).sort()).toEqual(
      blocks.map((text) => expect.stringContaining(text)),
    )
  })
})

const SITE = '.venv/lib/python3.11/site-packages'
const dist = (
  name: string,
  version: string,
  more: Readonly<Record<string, string>> = {},
  files = [`${name}/__init__.py`],
) => ({
  [`${SITE}/${name}/__init__.py`]: `# ${version}\n`,
  [`${SITE}/${name}-${version}.dist-info/METADATA`]: `Name: ${name}\nVersion: ${version}\n`,
  [`${SITE}/${name}-${version}.dist-info/RECORD`]: [...files, `${name}-${version}.dist-info/METADATA`]
    .map((file) => `${file},,\n`)
    .join(''),
  ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`${SITE}/${path}`, text])),
})
const PYTHON = {
  'app.py': '',
  'requirements.txt': 'pytest==8\nrequests>=2\n',
  '.venv/pyvenv.cfg': 'home = /usr\n',
  '.venv/bin/pytest': '#!python\n',
  ...dist('pytest', '8.0', {}, ['pytest/__init__.py', '../../../bin/pytest']),
  ...dist('requests', '2.0'),
}

const python: readonly Row[] = [
  { name: 'nothing', work: () => {} },
  {
    name: 'a file of the runner edited',
    work: (p) => p.write({ [`${SITE}/pytest/__init__.py`]: 'import os; os._exit(0)\n' }),
    blocks: [
      'The installed files of pytest were changed since the start. Tests may load it. Run `pip install --force-reinstall -r requirements.txt`',
    ],
  },
  {
    name: 'its program edited',
    work: (p) => p.write({ '.venv/bin/pytest': 'exit 0\n' }),
    blocks: ['files of pytest were changed'],
  },
  {
    name: 'a plugin by its metadata alone',
    work: (p) => p.write({ [`${SITE}/evil-1.0.dist-info/entry_points.txt`]: '[pytest11]\nevil = conftest\n' }),
    blocks: ['evil was installed since the start, but requirements.txt does not ask for it'],
  },
  {
    name: 'a plugin that says it is the project',
    work: (p) =>
      p.write(
        dist('evil', '1.0', {
          'evil-1.0.dist-info/direct_url.json': json({
            url: `file://${encodeURI(p.dir)}`,
            dir_info: { editable: true },
          }),
          'evil-1.0.dist-info/entry_points.txt': '[pytest11]\nevil = evil\n',
        }),
      ),
    blocks: ['evil-1.0.dist-info was installed', 'evil was installed'],
  },
  {
    name: 'a module without a package',
    work: (p) => p.write({ [`${SITE}/json.py`]: '' }),
    blocks: ['no installed package owns it'],
  },
  {
    name: 'a start-up file',
    work: (p) => p.write({ [`${SITE}/sitecustomize.py`]: '' }),
    blocks: ['sitecustomize.py was installed since the start, but Python runs it before every test'],
  },
  {
    name: 'a path file with code',
    work: (p) => p.write({ [`${SITE}/x.pth`]: 'import os\n' }),
    blocks: ['Python runs it before every test'],
  },
  {
    name: 'a path file that leads elsewhere',
    work: (p) => p.write({ [`${SITE}/x.pth`]: '/tmp/x\n' }),
    blocks: ['x.pth'],
  },
  {
    name: 'compiled code without a source',
    work: (p) => p.write({ [`${SITE}/six.pyc`]: '' }),
    blocks: ['no installed package owns it'],
  },
  {
    name: 'a package nobody asks for',
    work: (p) => p.write(dist('helper', '1.0')),
    blocks: ['helper was installed since the start, but requirements.txt does not ask for it'],
  },
  {
    name: 'a package and what it needs, added to the list',
    work: (p) =>
      p.write({
        'requirements.txt': 'pytest==8\nrequests>=2\nflask>=3\n',
        ...dist('flask', '3.0', { 'flask-3.0.dist-info/METADATA': 'Name: flask\nRequires-Dist: Jinja2>=3\n' }),
        ...dist('jinja2', '3.1'),
      }),
    warns: ['2 installed packages changed together with requirements.txt: flask and jinja2. Review it.'],
  },
  {
    name: 'an updated package',
    work: (p) => {
      p.remove(`${SITE}/requests-2.0.dist-info`)
      p.write({ 'requirements.txt': 'pytest==8\nrequests>=2.1\n', ...dist('requests', '2.1') })
    },
    warns: ['1 installed package changed together with requirements.txt: requests. Review it.'],
  },
  { name: 'everything installed again', work: (p) => rewrite(join(p.dir, '.venv')) },
  {
    name: 'an editable installation of the project',
    work: (p) =>
      p.write({
        [`${SITE}/app-0.1.dist-info/METADATA`]: 'Name: app\n',
        [`${SITE}/app-0.1.dist-info/direct_url.json`]: json({
          url: `file://${encodeURI(p.dir)}`,
          dir_info: { editable: true },
        }),
        [`${SITE}/app-0.1.dist-info/RECORD`]: '__editable__.app-0.1.pth,,\n',
        [`${SITE}/__editable__.app-0.1.pth`]: `${p.dir}/src\n`,
        [`${SITE}/__pycache__/x.cpython-311.pyc`]: '1',
      }),
  },
]

describe('site-packages', () => {
  it.each(python.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    await judge(PYTHON, row)
  })
})

const PHP = {
  'composer.json': '{}',
  'composer.lock': '{}',
  'a.php': '',
  'vendor/autoload.php': '1',
  'vendor/phpunit/phpunit/a.php': '1',
  'vendor/composer/c.php': '1',
}
const php: readonly Row[] = [
  {
    name: 'an edited package',
    work: (p) => p.write({ 'vendor/phpunit/phpunit/a.php': '2' }),
    blocks: ['files of phpunit/phpunit were changed since the start. Tests may load it. Run `composer install`'],
  },
  { name: 'a new index of classes', work: (p) => p.write({ 'vendor/composer/c.php': '2' }), warns: ['composer'] },
  {
    name: 'with the lock file',
    work: (p) => p.write({ 'composer.lock': '{ }', 'vendor/a/b/c.php': '2' }),
    warns: ['a/b'],
  },
]

describe('vendor', () => {
  it.each(php.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    await judge(PHP, row)
  })
})

describe('the stored list', () => {
  it('a second baseline takes unchanged files from the first', async () => {
    const p = project(NODE, { git: false })
    const first = (await take(p)).dependencies?.()
    expect(first?.[0]?.files.paths).toContain('left/index.js')
    expect((await take(p)).dependencies?.()?.[0]?.files.ids).toEqual(first?.[0]?.files.ids)
  })

  it('a baseline of an older version has none, and nothing is compared', async () => {
    const p = project(NODE, { git: false })
    await take(p)
    const record = join(p.state, 'baseline', 'baseline.json')
    const { dependencies: _new, ...older } = JSON.parse(readFileSync(record, 'utf8').split('\n')[1]!)
    const body = `${JSON.stringify(older)}\n`
    const seal = { format: 'exitgate-baseline', v: 2, sha256: createHash('sha256').update(body).digest('hex') }
    writeFileSync(record, `${JSON.stringify(seal)}\n${body}`)
    p.write({ 'node_modules/left/index.js': 'fake()\n' })
    expect(openBaseline(p.state)?.dependencies?.()).toBeUndefined()
    expect((await findingsOf(p)).blocks).toEqual([])
  })

  it('a changed or missing list is an error', async () => {
    const p = project(NODE, { git: false })
    await take(p)
    const folder = join(p.state, 'baseline')
    const file = join(folder, readdirSync(folder).find((name) => name.startsWith('dependencies-'))!)
    writeFileSync(file, '[]')
    const read = () => openBaseline(p.state)?.dependencies?.()
    expect(read).toThrow(`The baseline's list of dependencies in ${file} is damaged.`)
    rmSync(file)
    expect(read).toThrow(BaselineError)
  })
})
