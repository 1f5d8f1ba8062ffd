import { describe, expect, it } from 'vitest'
import { readBacklog, type TextOf } from '../../src/backlog/read.ts'

const files: TextOf = (path) =>
  path === 'login.md' ? { text: '# Login form\n\nBuild it.\n' } : { problem: 'does not exist; check the path' }
const read = (text: string) => readBacklog(text, 'tasks.yaml', files)

const WHOLE = `
defaults:
  priority: 5
  limits: { iterations: 10, usd: 2 }
limits: { usd: 20, tokens: 1000000, minutes: 90.5, callsPerHour: 30 }
tasks:
  - id: login
    promptFile: login.md
    plan: PLAN.md
    type: feature
  - id: 7
    prompt: |
      Mend the parser.
      Then test it.
    title: The parser
    after: login
    priority: -1
    limits: { iterations: 3, minutes: 5 }
    repository: ssh://git@example.org/r.git
    base: main
    agent: claude
    key: team-a
`

describe('a backlog', () => {
  it('is read with its defaults, files and limits', () => {
    expect(read(WHOLE)).toEqual({
      backlog: {
        limits: { usd: 20, tokens: 1000000, minutes: 90.5, callsPerHour: 30 },
        tasks: [
          {
            id: 'login',
            prompt: '# Login form\n\nBuild it.\n',
            title: 'Login form',
            after: [],
            priority: 5,
            limits: { iterations: 10, usd: 2 },
            plan: 'PLAN.md',
            type: 'feature',
          },
          {
            id: '7',
            prompt: 'Mend the parser.\nThen test it.\n',
            title: 'The parser',
            after: ['login'],
            priority: -1,
            limits: { iterations: 3, usd: 2, minutes: 5 },
            repository: 'ssh://git@example.org/r.git',
            base: 'main',
            agent: 'claude',
            key: 'team-a',
          },
        ],
      },
    })
  })

  it('may be JSON, with tabs and a mark at its beginning', () => {
    const text = `\uFEFF{\n\t"tasks": [\n\t\t{ "id": "a", "prompt": "do\\tit" }\n\t]\n}\n`
    expect(read(text)).toMatchObject({
      backlog: { tasks: [{ id: 'a', prompt: 'do\tit', title: 'do it' }], limits: {} },
    })
  })

  const one = (more: string): string => `tasks:\n  - id: a\n    prompt: do it\n${more}`
  const wrong: readonly (readonly [text: string, problems: readonly string[]])[] = [
    ['', ['tasks.yaml holds no list of tasks; begin it with "tasks:" and one entry for each']],
    ['- a\n- b\n', ['tasks.yaml holds no list of tasks; begin it with "tasks:" and one entry for each']],
    ['tasks: []\n', ['tasks.yaml: "tasks" is []; it must be a list of at least one task']],
    ['tasks: {a: 1}\n', ['tasks.yaml: "tasks" is {"a":1}; it must be a list of at least one task']],
    ['tasks:\n  - a\n', ['tasks.yaml: task 1 is "a"; it must be a table with id and prompt']],
    [
      'tasks:\n  - prompt: do it\n',
      ['tasks.yaml: task 1 has no id; give it a short one that stays the same, like "login-form"'],
    ],
    ...['../up', '-x', 'a b', 'a..b', 'a.lock', 'a.', '.git', 'x'.repeat(61), ''].map(
      (id): readonly [string, readonly string[]] => [
        `tasks:\n  - { id: ${JSON.stringify(id)}, prompt: do it }\n`,
        [
          `tasks.yaml: task 1 has the id ${JSON.stringify(id)}; an id names a branch: up to 60 letters, digits, ".", "_" and "-", beginning with a letter or digit and not ending with "." or ".lock"`,
        ],
      ],
    ),
    [
      'tasks:\n  - { id: a, prompt: x }\n  - { id: a, prompt: y }\n  - { id: A, prompt: z }\n',
      [
        'tasks.yaml: two tasks are called "a"; give one of them another id',
        'tasks.yaml: the tasks "a" and "A" differ only in large and small letters; give one of them another id',
      ],
    ],
    [
      one('    after: [b, a]\n'),
      ['tasks.yaml: the task "a" waits for "b", which is not in the list; add it, or leave it out'],
    ],
    [one('    after: [a]\n'), ['tasks.yaml: the tasks "a" -> "a" wait for each other; take one "after" away']],
    [
      'tasks:\n  - { id: x, prompt: p, after: a }\n  - { id: a, prompt: p, after: [b] }\n  - { id: b, prompt: p, after: [c] }\n  - { id: c, prompt: p, after: [a] }\n',
      ['tasks.yaml: the tasks "a" -> "b" -> "c" -> "a" wait for each other; take one "after" away'],
    ],
    [one('    after: [{}]\n'), ['tasks.yaml: the task "a": "after" is [{}]; it must be a list of ids']],
    ...['""', '"  "', 'null', '3'].map((prompt): readonly [string, readonly string[]] => [
      `tasks:\n  - { id: a, prompt: ${prompt} }\n`,
      ['tasks.yaml: the task "a" has no prompt; say with "prompt" or "promptFile" what is to be done'],
    ]),
    [one('    promptFile: login.md\n'), ['tasks.yaml: the task "a" has a prompt and a promptFile; leave one out']],
    [
      'tasks:\n  - { id: a, promptFile: away.md }\n',
      ['tasks.yaml: the task "a" has the promptFile "away.md", which does not exist; check the path'],
    ],
    [
      one('    prority: 3\n'),
      [
        'tasks.yaml: the task "a" has the key "prority", which is not known; there are id, prompt, promptFile, title, after, priority, plan, type, limits, repository, base, agent, key',
      ],
    ],
    [
      one('    priority: high\n'),
      ['tasks.yaml: the task "a": "priority" is "high"; it must be a whole number, higher is earlier'],
    ],
    [
      one('    limits: { usd: 0, iterations: 1.5, calls: 3 }\n'),
      [
        'tasks.yaml: the task "a": "limits" has the key "calls", which is not known; there are iterations, minutes, usd, tokens',
        'tasks.yaml: the task "a": "limits": "iterations" is 1.5; it must be a whole number greater than 0',
        'tasks.yaml: the task "a": "limits": "usd" is 0; it must be a number greater than 0',
      ],
    ],
    [
      `${one('')}limits: { usd: .inf }\n`,
      ['tasks.yaml: "limits": "usd" is Infinity; it must be a number greater than 0'],
    ],
    [`${one('')}limits: 5\n`, ['tasks.yaml: "limits" is 5; it must be a table of usd, tokens, minutes, callsPerHour']],
    [
      `${one('')}defaults: { after: [a] }\n`,
      [
        'tasks.yaml: "defaults" has the key "after", which is not known; there are priority, plan, type, limits, repository, base, agent, key',
      ],
    ],
    [
      `${one('')}defaults: no\n`,
      [
        'tasks.yaml: "defaults" is "no"; it must be a table of priority, plan, type, limits, repository, base, agent, key',
      ],
    ],
    [one('    title: [1]\n'), ['tasks.yaml: the task "a": "title" is [1]; it must be a text, or be left out']],
    [one('    id: b\n'), ['tasks.yaml:4: this is not YAML or JSON we can read: Map keys must be unique']],
    [
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n',
      ['tasks.yaml cannot be expanded: Excessive alias count indicates a resource exhaustion attack'],
    ],
  ]
  it.each(wrong)('says what is wrong with %j', (text, problems) => {
    expect(read(text)).toEqual({ problems })
  })

  const chosen = [
    'test',
    'build',
    'commands',
    'required',
    'preset',
    'evidence',
    'setup',
    'run',
    'baseline',
    'breaker',
    'env',
  ]
  it.each(chosen)('does not let a task choose "%s"', (key) => {
    const where = 'which a list of tasks cannot choose; it belongs into the configuration of the repository'
    expect(read(one(`    ${key}: "true"\n`))).toEqual({
      problems: [`tasks.yaml: the task "a" names "${key}", ${where}`],
    })
    expect(read(`${one('')}defaults: { ${key}: x }\n`)).toEqual({
      problems: [`tasks.yaml: "defaults" names "${key}", ${where}`],
    })
    expect(read(`${one('')}${key}: x\n`)).toEqual({ problems: [`tasks.yaml names "${key}", ${where}`] })
  })

  it('is read without calls of itself, however long its chain', () => {
    const n = 20_000
    const tasks = Array.from({ length: n }, (_, i) => ({
      id: `t${i}`,
      prompt: 'x',
      after: i === 0 ? [] : [`t${i - 1}`],
    }))
    const shuffled = tasks.toReversed()
    const result = readBacklog(JSON.stringify({ tasks: shuffled }), 'tasks.json')
    expect('backlog' in result && result.backlog.tasks.length).toBe(n)
  })
})
