import { describe, expect, it } from 'vitest'
import { detect, preferred } from '../../src/evidence/detect/index.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { patience } from '../timing.ts'
import { folder } from './folders.ts'

const hasProgram = (name: string) => findProgram(name, process.cwd(), process.env) !== undefined

/** Small real projects: the detected commands run and print the expected output. */
const rows: [name: string, needs: string, files: Record<string, string>, code: number, says: RegExp][] = [
  [
    'a script of npm',
    'npm',
    { 'package.json': '{"scripts": {"test": "node --test"}}', 'a.test.mjs': "import 'node:test'" },
    0,
    /tests 1|# tests 0|ok 1/,
  ],
  [
    'node:test without a script',
    'node',
    {
      'package.json': '{"type": "module"}',
      'a.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\ntest('a', () => assert.equal(1, 2))\n",
    },
    1,
    /fail 1/,
  ],
  [
    'unittest in a plain folder',
    'python3',
    {
      'pyproject.toml': '[project]\nname = "a"\n',
      'tests/test_a.py':
        'import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n',
    },
    0,
    /Ran 1 test/,
  ],
  [
    'cargo',
    'cargo',
    {
      'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': '#[test]\nfn a() {\n    assert_eq!(1, 1);\n}\n',
    },
    0,
    /1 passed; 0 failed/,
  ],
  [
    'ctest in a folder that is configured now',
    'ctest',
    {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.20)\nproject(a NONE)\nenable_testing()\nadd_test(NAME one COMMAND cmake -E true)\n',
    },
    0,
    /100% tests passed/,
  ],
  ['make', 'make', { Makefile: 'test:\n\t@echo 3 passed\n' }, 0, /3 passed/],
]

describe('detected commands', () => {
  it.for(rows)('%s runs', { timeout: patience(150_000) }, async ([, needs, files, code, says], { skip }) => {
    const workspace = openWorkspace(folder(files))
    const [found] = preferred(await detect(workspace), 'test')
    expect(found).toBeDefined()
    skip(!hasProgram(needs), `${needs} is not installed here`)
    const ran = await workspace.run(found!.command, { deadlineMs: 120_000, cwd: found!.cwd })
    expect(ran.output).toMatch(says)
    expect(ran).toMatchObject({ ended: 'exit', code })
  })
})
