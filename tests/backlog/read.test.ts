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

  it('may be JSON, with tabs and a byte order mark', () => {
    const text = `\uFEFF{\n\t"tasks": [\n\t\t{ "id": "a", "prompt": "do\\tit" }\n\t]\n}\n`
    expect(read(text)).toMatchObject({
      backlog: { tasks: [{ id: 'a', prompt: 'do\tit', title: 'do it' }], limits: {} },
    })
  })

  const one = (more: string): string => `tasks:\n  - id: a\n    prompt: do it\n${more}`
  const wrong: readonly (readonly [text: string, problems: readonly string[]])[] = [
    ['', ['tasks.yaml has no list of tasks. Start it with "tasks:" and one entry per task.']],
    ['- a\n- b\n', ['tasks.yaml has no list of tasks. Start it with "tasks:" and one entry per task.']],
    ['tasks: []\n', ['tasks.yaml: "tasks" is []. It must be a list of at least one task.']],
    ['tasks: {a: 1}\n', ['tasks.yaml: "tasks" is {"a":1}. It must be a list of at least one task.']],
    ['tasks:\n  - a\n', ['tasks.yaml: task 1 is "a". It must be a mapping with id and prompt.']],
    ['tasks:\n  - prompt: do it\n', ['tasks.yaml: task 1 has no id. Add a short, stable one such as "login-form".']],
    ...['../up', '-x', 'a b', 'a..b', 'a.lock', 'a.', '.git', 'x'.repeat(61), ''].map(
      (id): readonly [string, readonly string[]] => [
        `tasks:\n  - { id: ${JSON.stringify(id)}, prompt: do it }\n`,
        [
          `tasks.yaml: task 1 has the id ${JSON.stringify(id)}, which is not a valid branch name. Use up to 60 letters, digits, ".", "_" and "-". It must start with a letter or digit and not end with "." or ".lock".`,
        ],
      ],
    ),
    [
      'tasks:\n  - { id: a, prompt: x }\n  - { id: a, prompt: y }\n  - { id: A, prompt: z }\n',
      [
        'tasks.yaml: two tasks have the id "a". Rename one of them.',
        'tasks.yaml: the ids "a" and "A" differ only in upper and lower case. Rename one of them.',
      ],
    ],
    [
      one('    after: [b, a]\n'),
      ['tasks.yaml: the task "a" waits for "b", which is not in the list. Add that task, or remove it from "after".'],
    ],
    [one('    after: [a]\n'), ['tasks.yaml: the tasks "a" -> "a" wait for each other. Remove one "after".']],
    [
      'tasks:\n  - { id: x, prompt: p, after: a }\n  - { id: a, prompt: p, after: [b] }\n  - { id: b, prompt: p, after: [c] }\n  - { id: c, prompt: p, after: [a] }\n',
      ['tasks.yaml: the tasks "a" -> "b" -> "c" -> "a" wait for each other. Remove one "after".'],
    ],
    [one('    after: [{}]\n'), ['tasks.yaml: the task "a": "after" is [{}]. It must be a list of ids.']],
    ...['""', '"  "', 'null', '3'].map((prompt): readonly [string, readonly string[]] => [
      `tasks:\n  - { id: a, prompt: ${prompt} }\n`,
      ['tasks.yaml: the task "a" has no prompt. Add "prompt" or "promptFile".'],
    ]),
    [one('    promptFile: login.md\n'), ['tasks.yaml: the task "a" has both prompt and promptFile. Remove one.']],
    [
      'tasks:\n  - { id: a, promptFile: away.md }\n',
      ['tasks.yaml: the task "a" has the promptFile "away.md", which does not exist; check the path.'],
    ],
    [
      one('    prority: 3\n'),
      [
        'tasks.yaml: the task "a" has an unknown key "prority". Known keys: id, prompt, promptFile, title, after, priority, plan, type, limits, repository, base, agent, key.',
      ],
    ],
    [
      one('    priority: high\n'),
      ['tasks.yaml: the task "a": "priority" is "high". It must be a whole number; higher starts earlier.'],
    ],
    [
      one('    limits: { usd: 0, iterations: 1.5, calls: 3 }\n'),
      [
        'tasks.yaml: the task "a": "limits" has an unknown key "calls". Known keys: iterations, minutes, usd, tokens.',
        'tasks.yaml: the task "a": "limits": "iterations" is 1.5. It must be a whole number greater than 0.',
        'tasks.yaml: the task "a": "limits": "usd" is 0. It must be a number greater than 0.',
      ],
    ],
    [
      `${one('')}limits: { usd: .inf }\n`,
      ['tasks.yaml: "limits": "usd" is Infinity. It must be a number greater than 0.'],
    ],
    [
      `${one('')}limits: 5\n`,
      ['tasks.yaml: "limits" is 5. It must be a mapping of usd, tokens, minutes, callsPerHour.'],
    ],
    [
      `${one('')}defaults: { after: [a] }\n`,
      [
        'tasks.yaml: "defaults" has an unknown key "after". Known keys: priority, plan, type, limits, repository, base, agent, key.',
      ],
    ],
    [
      `${one('')}defaults: no\n`,
      [
        'tasks.yaml: "defaults" is "no". It must be a mapping of priority, plan, type, limits, repository, base, agent, key.',
      ],
    ],
    [one('    title: [1]\n'), ['tasks.yaml: the task "a": "title" is [1]. It must be a non-empty string.']],
    [one('    id: b\n'), ['tasks.yaml:4: not valid YAML or JSON: Map keys must be unique']],
    [
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n',
      ["tasks.yaml can't be expanded: Excessive alias count indicates a resource exhaustion attack"],
    ],
  ]
  it.each(wrong)('reports the problems of %j', (text, problems) => {
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
  it.each(chosen)('does not let a task set "%s"', (key) => {
    const where = "which a list of tasks can't change. Put it into the repository's configuration."
    expect(read(one(`    ${key}: "true"\n`))).toEqual({
      problems: [`tasks.yaml: the task "a" sets "${key}", ${where}`],
    })
    expect(read(`${one('')}defaults: { ${key}: x }\n`)).toEqual({
      problems: [`tasks.yaml: "defaults" sets "${key}", ${where}`],
    })
    expect(read(`${one('')}${key}: x\n`)).toEqual({ problems: [`tasks.yaml sets "${key}", ${where}`] })
  })

  it('is read without recursion, however long its chain', () => {
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
