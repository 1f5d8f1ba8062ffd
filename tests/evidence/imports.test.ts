import { describe, expect, it } from 'vitest'
import { importGraph } from '../../src/evidence/attribution/imports.ts'

type Files = Readonly<Record<string, string>>
/** From a file to all it reaches; `gone` are files that were there and are not any more. */
type Row = [name: string, files: Files, from: string, reached: readonly string[] | undefined, gone?: readonly string[]]

const rows: readonly Row[] = [
  ['import', { 'a.test.js': "import { x } from './x.js'", 'x.js': '' }, 'a.test.js', ['x.js']],
  ['import over lines', { 'a.js': "import {\n  x,\n  y,\n} from './x.js'", 'x.js': '' }, 'a.js', ['x.js']],
  ['a type import', { 'a.ts': "import type { X } from './x.ts'", 'x.ts': '' }, 'a.ts', ['x.ts']],
  ['a bare import', { 'a.js': "import './setup'", 'setup.js': '' }, 'a.js', ['setup.js']],
  ['export from', { 'a.js': "export * from './x'", 'x.ts': '' }, 'a.js', ['x.ts']],
  ['require', { 'a.cjs': "const x = require('./x')", 'x.cjs': '' }, 'a.cjs', ['x.cjs']],
  ['a dynamic import', { 'a.js': "await import('./x.js')", 'x.js': '' }, 'a.js', ['x.js']],
  [
    'a dynamic import with a comment for a bundler',
    { 'a.js': "import(/* webpackChunkName: 'x' */ './x.js')", 'x.js': '' },
    'a.js',
    ['x.js'],
  ],
  ['a mock', { 'a.js': "vi.mock('./x')", 'x.ts': '' }, 'a.js', ['x.ts']],
  ['an index', { 'a.js': "import './lib'", 'lib/index.ts': '' }, 'a.js', ['lib/index.ts']],
  ['the index above', { 'lib/a.js': "import '..'", 'index.js': '' }, 'lib/a.js', ['index.js']],
  ['TypeScript behind a name of JavaScript', { 'a.ts': "import './x.js'", 'x.ts': '' }, 'a.ts', ['x.ts']],
  ['folders up and down', { 'test/a.js': "import '../src/x/y.js'", 'src/x/y.js': '' }, 'test/a.js', ['src/x/y.js']],
  [
    'further and further',
    { 'a.js': "import './b.js'", 'b.js': "import './c.js'", 'c.js': "import './a.js'", 'd.js': '' },
    'a.js',
    ['b.js', 'c.js'],
  ],
  [
    'a package from outside',
    { 'a.js': "import x from 'react'\nimport y from 'react-dom/client'\nimport 'node:fs'", 'react.js': '' },
    'a.js',
    [],
  ],
  ['a file that was deleted', { 'a.js': "import './x.js'" }, 'a.js', undefined, ['x.js']],
  ['data that was deleted', { 'a.js': "import './x.json'" }, 'a.js', ['x.json'], ['x.json']],
  ['an alias', { 'a.js': "import '@/util/x'", 'src/util/x.ts': '' }, 'a.js', ['src/util/x.ts']],
  [
    'an alias with a name',
    { 'a.js': "import '@app/util/x'", 'src/util/x.ts': '', 'package.json': '{}' },
    'a.js',
    ['src/util/x.ts'],
  ],
  [
    'a declared package is no alias',
    { 'a.js': "import '@app/util/x'", 'src/util/x.ts': '', 'package.json': '{"dependencies":{"@app/util":"1"}}' },
    'a.js',
    [],
  ],
  ['a path from the root', { 'test/a.js': "import 'src/x'", 'src/x.ts': '' }, 'test/a.js', ['src/x.ts']],
  ['a subpath import', { 'a.js': "import '#x'", 'src/x.js': '' }, 'a.js', ['src/x.js']],
  [
    'a package of the same repository',
    { 'p/a/a.js': "import '@me/b'", 'p/b/package.json': '{"name":"@me/b"}', 'p/b/src/x.ts': '', 'p/c/y.ts': '' },
    'p/a/a.js',
    ['p/b/src/x.ts'],
  ],
  [
    'a program that is started',
    { 'test/cli.test.js': "spawn('node', ['bin/cli.js'])", 'bin/cli.js': "import '../src/x.js'", 'src/x.js': '' },
    'test/cli.test.js',
    ['bin/cli.js', 'src/x.js'],
  ],
  [
    'a fixture that is read',
    { 'test/a.js': "readFileSync('./data/x.txt')", 'test/data/x.txt': '' },
    'test/a.js',
    ['test/data/x.txt'],
  ],
  [
    'a template for a folder',
    { 'a.js': `import(\`./locales/\${language}.js\`)`, 'locales/de.js': '', 'other/x.js': '' },
    'a.js',
    ['locales/de.js'],
  ],
  ['a computed import', { 'a.js': 'import(name)' }, 'a.js', undefined],
  [
    'a computed require further on',
    { 'a.js': "import './b.js'", 'b.js': 'require(process.argv[2])' },
    'a.js',
    undefined,
  ],
  ['an import that is commented out', { 'a.js': "// import(name)\nimport './x.js'", 'x.js': '' }, 'a.js', ['x.js']],
  ['nothing of its own', { 'a.js': 'test("x", () => {})', 'b.js': '' }, 'a.js', []],
  ['a link out of the project', { 'a.js': "import '../../x.js'", 'x.js': '' }, 'a.js', []],

  [
    'python: from a package',
    { 'tests/test_a.py': 'from pkg.mod import f', 'pkg/__init__.py': '', 'pkg/mod.py': '', 'pkg/other.py': '' },
    'tests/test_a.py',
    ['pkg/__init__.py', 'pkg/mod.py'],
  ],
  [
    'python: a module of a package',
    { 'tests/test_a.py': 'from pkg import mod', 'pkg/mod.py': '', 'pkg/other.py': '' },
    'tests/test_a.py',
    ['pkg/mod.py'],
  ],
  [
    'python: import as',
    { 'tests/test_a.py': 'import pkg.mod as m, os', 'pkg/mod.py': '' },
    'tests/test_a.py',
    ['pkg/mod.py'],
  ],
  [
    'python: in src',
    { 'tests/test_a.py': 'from pkg.mod import (\n  f,\n  g,\n)', 'src/pkg/mod.py': '' },
    'tests/test_a.py',
    ['src/pkg/mod.py'],
  ],
  [
    'python: relative',
    { 'pkg/tests/test_a.py': 'from ..mod import f\nfrom . import helper', 'pkg/mod.py': '', 'pkg/tests/helper.py': '' },
    'pkg/tests/test_a.py',
    ['pkg/mod.py', 'pkg/tests/helper.py'],
  ],
  [
    'python: what pytest loads',
    {
      'tests/x/test_a.py': '',
      'conftest.py': 'import fix',
      'tests/conftest.py': '',
      'tests/y/conftest.py': '',
      'fix.py': '',
    },
    'tests/x/test_a.py',
    ['conftest.py', 'fix.py', 'tests/conftest.py'],
  ],
  ['python: a patch by name', { 'test_a.py': "patch('app.db.connect')", 'app/db.py': '' }, 'test_a.py', ['app/db.py']],
  ['python: a computed module', { 'test_a.py': 'importlib.import_module(name)' }, 'test_a.py', undefined],
  [
    'python: a package from outside',
    { 'test_a.py': 'import numpy as np\nfrom django.db import models', 'db/models.py': '' },
    'test_a.py',
    [],
  ],

  [
    'go: the package is its folder',
    { 'x/a_test.go': 'package x', 'x/a.go': '', 'x/b.go': '', 'y/c.go': '' },
    'x/a_test.go',
    ['x/a.go', 'x/b.go'],
  ],
  [
    'go: a package of the module',
    {
      'go.mod': 'module example.com/m\n',
      'x/a_test.go': 'package x\nimport (\n\t"fmt"\n\ty "example.com/m/y"\n)',
      'y/c.go': 'package y\nimport "example.com/m/z"',
      'y/c_test.go': '',
      'z/d.go': '',
      'w/e.go': '',
    },
    'x/a_test.go',
    ['y/c.go', 'y/c_test.go', 'z/d.go'],
  ],
  ['go: its data', { 'x/a_test.go': 'package x', 'x/testdata/in.txt': '' }, 'x/a_test.go', ['x/testdata/in.txt']],

  [
    'rust: a module of the crate',
    {
      'Cargo.toml': '[package]\nname = "my-lib"\n',
      'src/lib.rs': 'mod a; mod b;',
      'src/a.rs': '',
      'src/b.rs': '',
      'tests/t.rs': 'use my_lib::a::f;',
    },
    'tests/t.rs',
    ['src/a.rs'],
  ],
  [
    'rust: an item of the crate is the crate',
    {
      'Cargo.toml': '[package]\nname = "my-lib"\n',
      'src/lib.rs': 'mod a;\npub mod b;',
      'src/a.rs': '',
      'src/b/mod.rs': '',
      'tests/t.rs': 'use my_lib::f;',
    },
    'tests/t.rs',
    ['src/a.rs', 'src/b/mod.rs', 'src/lib.rs'],
  ],
  [
    'rust: tests in the file',
    {
      'Cargo.toml': '[package]\nname = "x"\n',
      'src/lib.rs': 'mod a;\nmod b;',
      'src/a.rs': 'use crate::b::g;\n#[cfg(test)]\nmod tests {\n  use super::*;\n}',
      'src/b.rs': '',
      'src/c.rs': '',
    },
    'src/a.rs',
    ['src/b.rs'],
  ],
  [
    'rust: a shared module of the tests',
    {
      'Cargo.toml': '[package]\nname = "x"\n',
      'src/lib.rs': '',
      'tests/t.rs': 'mod common;',
      'tests/common/mod.rs': '',
    },
    'tests/t.rs',
    ['tests/common/mod.rs'],
  ],

  [
    'java: by name',
    {
      'src/test/java/p/MathTest.java': 'class MathTest { Math2 m; }',
      'src/main/java/p/Math2.java': 'class Math2 { Helper h; }',
      'src/main/java/p/Helper.java': 'class Helper {}',
      'src/main/java/p/Other.java': 'class Other {}',
    },
    'src/test/java/p/MathTest.java',
    ['src/main/java/p/Helper.java', 'src/main/java/p/Math2.java'],
  ],
  [
    'kotlin: functions outside of classes',
    {
      'ATest.kt': 'class ATest { fun t() = twice(1) }',
      'M.kt': 'fun twice(n: Int) = n * 2',
      'N.kt': 'fun thrice(n: Int) = n * 3',
    },
    'ATest.kt',
    ['M.kt'],
  ],
  [
    'c#: extension methods',
    {
      'ATests.cs': 'class ATests { void T() { 1.Twice(); } }',
      'Ext.cs': 'static class Ext { public static int Twice(this int n) => n * 2; }',
      'O.cs': 'class O {}',
    },
    'ATests.cs',
    ['Ext.cs'],
  ],

  [
    'ruby: require_relative',
    { 'test/a_test.rb': "require_relative '../lib/x'", 'lib/x.rb': "require 'y/z'", 'lib/y/z.rb': '', 'lib/w.rb': '' },
    'test/a_test.rb',
    ['lib/x.rb', 'lib/y/z.rb'],
  ],
  [
    'ruby: a constant by its file',
    {
      'spec/models/user_spec.rb': 'describe User do',
      'app/models/user.rb': 'class User < ApplicationRecord',
      'app/models/application_record.rb': '',
      'app/models/post.rb': '',
      'spec/spec_helper.rb': '',
    },
    'spec/models/user_spec.rb',
    ['app/models/application_record.rb', 'app/models/user.rb', 'spec/spec_helper.rb'],
  ],
  [
    'php: a class by its file',
    {
      'tests/MathTest.php': '<?php\nuse App\\Math;\nclass MathTest {}',
      'src/Math.php': '<?php\nclass Math extends Base {}',
      'src/Base.php': '<?php',
      'src/Other.php': '<?php',
    },
    'tests/MathTest.php',
    ['src/Base.php', 'src/Math.php'],
  ],
  [
    'php: a required file',
    { 'tests/a.phpt': "<?php require __DIR__ . '/../lib/x.php';", 'lib/x.php': '<?php' },
    'tests/a.phpt',
    ['lib/x.php'],
  ],

  ['a language whose imports nobody reads', { 'test_a.cpp': '#include "x.h"', 'x.h': '' }, 'test_a.cpp', undefined],
  ['a file that is not there', {}, 'a.js', undefined],
]

describe('what a file reaches', () => {
  it.each(rows)('%s', (_name, files, from, reached, gone = []) => {
    const graph = importGraph([...Object.keys(files), ...gone].sort(), (path) => files[path])
    expect(graph.reach(from)).toEqual(reached)
  })

  it('is found in many files without reading the others', () => {
    const files: Record<string, string> = { 'a.test.js': "import './f0.js'" }
    for (let i = 0; i < 3000; i++) files[`f${i}.js`] = i % 10 === 9 ? '' : `import './f${i + 1}.js'`
    const read = new Set<string>()
    const graph = importGraph(Object.keys(files), (path) => {
      read.add(path)
      return files[path]
    })
    expect(graph.reach('a.test.js')).toHaveLength(10)
    expect(read.size).toBeLessThan(20)
  })
})
