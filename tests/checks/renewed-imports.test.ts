import { expect, it } from 'vitest'
import { originalSide } from '../../packages/exitgate/src/checks/sides.ts'

const BODY = "\ntest('a', () => parse())\n"

/** The imports of a test file at the start and now, and those with which the old tests run again. */
const ROWS: Readonly<Record<string, { readonly was: string; readonly now: string; readonly renewed: string }>> = {
  'a name that the new tests do not need': {
    was: "import { format, parse } from './a.js'",
    now: "import { parse } from './a.js'",
    renewed: "import { parse } from './a.js'\nimport * as before0 from './a.js'\nconst { format } = before0",
  },
  'a module that moved': {
    was: "import { parse } from './old.js'",
    now: "import { parse } from './new.js'",
    renewed: "import { parse } from './new.js'\n",
  },
  'a default import and a renamed name': {
    was: "import all, { format as shown } from './a.js'",
    now: "import { parse } from './a.js'",
    renewed:
      "import { parse } from './a.js'\nimport * as before0 from './a.js'\nconst { default: all, format: shown } = before0",
  },
  'the same module under another name': {
    was: "import fs from 'fs'",
    now: "import fs from 'node:fs'",
    renewed: "import fs from 'node:fs'",
  },
  'a required name': {
    was: "const { format, parse } = require('./a.js')",
    now: "const { parse } = require('./a.js')",
    renewed: "const { parse } = require('./a.js')\nconst { format } = require('./a.js')",
  },
  'a module as a whole': {
    was: "import * as a from './a.js'",
    now: "import { parse } from './b.js'",
    renewed: "import { parse } from './b.js'\nimport * as a from './a.js'",
  },
}

it.each(Object.entries(ROWS))('old tests with new imports declare each name once: %s', (_, { was, now, renewed }) => {
  const change = { path: 'test/a.test.js', wasThere: true, before: `${was}\n${BODY}`, after: `${now}\n${BODY}` }
  expect(originalSide([change], () => undefined).files[0]?.renewed).toBe(`${renewed}\n${BODY}`)
})
