import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { presets, workspace } from './workspace.ts'

interface Given {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly file?: string
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
}

async function problems({ files = {}, file, env = {}, flags = {} }: Given, dir = workspace(files)) {
  const error = await loadConfig({ dir, file, env, flags, presets }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ConfigError)
  const { exitCode, problems, message } = error as ConfigError
  expect(exitCode).toBe(64)
  expect(message).toBe(problems.join('\n'))
  return problems
}

const json = (text: string): Given => ({ files: { 'exitgate.config.json': text } })
const yaml = (text: string): Given => ({ files: { 'exitgate.config.yaml': text } })
const J = 'exitgate.config.json'
const Y = 'exitgate.config.yaml'
const TOP =
  'taskType, preset, plan, optionalSections, required, requireChange, limits, hollowClaims, unverifiable, sameTask, oscillation, blocked, asking, agentOverride, breaker, promise, patterns, files, commands, run, baseline, evidence, learning, cub, prp, doyaken, blackbox, gsd, ralph, taskTypes'
const PRESETS = 'default, cub, prp, doyaken, blackbox, gsd, ralph'

const values: [string, Given, readonly string[]][] = [
  [
    'a word about permissions that is none',
    json('{"run": {"permissions": "yolo"}}'),
    [`${J}:1: "run.permissions" is "yolo"; it must be one of reject, allow-edits, allow-all.`],
  ],
  [
    'a price below nothing',
    json('{"run": {"prices": {"big": {"input": -1, "output": 2}}}}'),
    [`${J}:1: "run.prices.big.input" is -1; it must be a number from 0.`],
  ],
  [
    'an unknown key',
    json('{\n  "cub": {\n    "treshold": 3\n  }\n}'),
    [`${J}:3: unknown key "treshold" in "cub"; did you mean "threshold"?`],
  ],
  ['an unknown key at the top', yaml('\npresett: cub\n'), [`${Y}:2: unknown key "presett"; did you mean "preset"?`]],
  [
    'a key in another spelling',
    json('{"optional_sections": []}'),
    [`${J}:1: unknown key "optional_sections"; did you mean "optionalSections"?`],
  ],
  [
    'a key that stands elsewhere',
    json('{"iterations": 3}'),
    [`${J}:1: unknown key "iterations"; did you mean "limits.iterations"?`],
  ],
  [
    'a dotted key',
    json('{"limits.iterations": 3}'),
    [`${J}:1: unknown key "limits.iterations"; write it as a section: "limits" with the key "iterations" in it.`],
  ],
  ['a key like nothing we know', json('{"zebra": 1}'), [`${J}:1: unknown key "zebra"; the keys are ${TOP}.`]],
  [
    'a key like nothing in its section',
    json('{"gsd": {"zebra": 1}}'),
    [`${J}:1: unknown key "zebra" in "gsd"; the keys are unknownTests.`],
  ],
  ['a key every object has', json('{"constructor": 1}'), [`${J}:1: unknown key "constructor"; the keys are ${TOP}.`]],
  [
    'the key that is a trap',
    json('{"__proto__": {"a": 1}}'),
    [`${J}:1: unknown key "__proto__"; the keys are ${TOP}.`],
  ],
  [
    'the same trap as a name',
    json('{"taskTypes": {"__proto__": {}}}'),
    [
      `${J}:1: the name "__proto__" in "taskTypes" is not allowed; a name is made of letters, digits, spaces, "-" and "_".`,
    ],
  ],
  [
    'a text for a number',
    json('{\n"cub": {"threshold": "two"}}'),
    [`${J}:2: "cub.threshold" is "two"; it must be a whole number from 0.`],
  ],
  [
    'a negative number',
    json('{"cub": {"threshold": -1}}'),
    [`${J}:1: "cub.threshold" is -1; it must be a whole number from 0.`],
  ],
  ['a broken number', json('{"sameTask": 1.5}'), [`${J}:1: "sameTask" is 1.5; it must be a whole number from 1.`]],
  ['none in a row', json('{"hollowClaims": 0}'), [`${J}:1: "hollowClaims" is 0; it must be a whole number from 1.`]],
  [
    'no time at all',
    json('{"limits": {"minutes": 0}}'),
    [`${J}:1: "limits.minutes" is 0; it must be a number greater than 0, or null for none.`],
  ],
  [
    'null where a value is needed',
    json('{"sameTask": null}'),
    [`${J}:1: "sameTask" is null; it must be a whole number from 1.`],
  ],
  [
    'more than all of it',
    json('{"doyaken": {"threshold": 101}}'),
    [`${J}:1: "doyaken.threshold" is 101; it must be a whole number from 0 to 100.`],
  ],
  [
    'one more than switches it off',
    json('{"blackbox": {"minCompletion": 102}}'),
    [`${J}:1: "blackbox.minCompletion" is 102; it must be a whole number from 0 to 101.`],
  ],
  ['not a number', yaml('blocked: .nan\n'), [`${Y}:1: "blocked" is NaN; it must be a whole number from 1.`]],
  [
    'no end of minutes',
    yaml('breaker:\n  cooldownMinutes: .inf\n'),
    [`${Y}:2: "breaker.cooldownMinutes" is Infinity; it must be a number from 0.`],
  ],
  ['yes is a text in YAML', yaml('files: yes\n'), [`${Y}:1: "files" is "yes"; it must be true or false.`]],
  ['an empty text', json('{"promise": ""}'), [`${J}:1: "promise" is ""; it must be a text that is not empty.`]],
  [
    'one of a few',
    json('{"preset": "cubb"}'),
    [`${J}:1: "preset" is "cubb"; it must be one of ${PRESETS}; did you mean "cub"?`],
  ],
  [
    'one of a few, nothing near',
    json('{"gsd": {"unknownTests": "perhaps"}}'),
    [`${J}:1: "gsd.unknownTests" is "perhaps"; it must be one of fail, pass.`],
  ],
  [
    'items of a list',
    json('{\n"required": [\n"tests",\n3,\n""]}'),
    [
      `${J}:4: "required[1]" is 3; it must be a text.`,
      `${J}:5: "required[2]" is ""; it must be a text that is not empty.`,
    ],
  ],
  ['a text for a list', json('{"required": "tests"}'), [`${J}:1: "required" is "tests"; it must be a list of texts.`]],
  [
    'a value for a section',
    json('{"limits": 5}'),
    [`${J}:1: "limits" is 5; it must be a section with the keys iterations, minutes, usd, tokens, callsPerHour.`],
  ],
  ['a list for a section of names', json('{"taskTypes": []}'), [`${J}:1: "taskTypes" is []; it must be a section.`]],
  [
    'a limit inside a phase',
    json('{"breaker": {"phases": {"RED": {"loops": "x"}}}}'),
    [`${J}:1: "breaker.phases.RED.loops" is "x"; it must be a whole number from 0 (0 switches it off).`],
  ],
  [
    'a task type inside a task type',
    json('{"taskTypes": {"docs": {"taskTypes": {}}}}'),
    [
      `${J}:1: unknown key "taskTypes" in "taskTypes.docs"; the keys are ${TOP.replace('taskType, ', '').replace(', taskTypes', '')}.`,
    ],
  ],
  [
    'all that is wrong, in order',
    yaml('presets: cub\nlimits:\n  iterations: 0\n  usd: free\ncub:\n  treshold: 1\n'),
    [
      `${Y}:1: unknown key "presets"; did you mean "preset"?`,
      `${Y}:3: "limits.iterations" is 0; it must be a whole number from 1, or null for none.`,
      `${Y}:4: "limits.usd" is "free"; it must be a number greater than 0, or null for none.`,
      `${Y}:6: unknown key "treshold" in "cub"; did you mean "threshold"?`,
    ],
  ],
  [
    'package.json, by its own lines',
    { files: { 'package.json': '{\n  "name": "x",\n  "exitgate": {\n    "files": 1\n  }\n}' } },
    ['package.json:4: "files" is 1; it must be true or false.'],
  ],
  [
    'package.json with something else there',
    { files: { 'package.json': '{"exitgate": "on"}' } },
    [`package.json:1: the configuration is "on"; it must be a section with the keys ${TOP}.`],
  ],
  [
    'a pattern that is none',
    json('{"patterns": ["done", "(a"]}'),
    [
      `${J}:1: "patterns[1]" is "(a"; it must be a regular expression without look-around or back-references (missing closing ): \`(a\`).`,
    ],
  ],
  [
    'a pattern that looks around',
    yaml('cub:\n  patterns: ["a(?=b)"]\n'),
    [
      `${Y}:2: "cub.patterns[0]" is "a(?=b)"; it must be a regular expression without look-around or back-references (invalid or unsupported Perl syntax: \`(?=\`).`,
    ],
  ],
  [
    'a long value is cut, and harmless to a terminal',
    json(`{"files": "\\u001b[2J\\u009b${'x'.repeat(100)}"}`),
    [`${J}:1: "files" is "\\u001b[2J\\u009b${'x'.repeat(61)}...; it must be true or false.`],
  ],
]

const syntax: [string, Given, readonly string[]][] = [
  [
    'a file cut short',
    json('{"cub": {'),
    [`${J}:1:10: this is not JSON: a key in double quotes is expected, not the end of the file.`],
  ],
  ['a comma too many', json('{\n  "files": true,\n}'), [`${J}:3:1: this is not JSON: there is a "," before "}".`]],
  [
    'a comma too few',
    json('{"files": true "plan": "x"}'),
    [`${J}:1:16: this is not JSON: "," or "}" is expected, not "\\"".`],
  ],
  [
    'a comment',
    json('{\n  // why\n  "files": true\n}'),
    [`${J}:2:3: this is not JSON: a key in double quotes is expected, not a comment (YAML files may have them).`],
  ],
  [
    'single quotes',
    json("{'files': true}"),
    [`${J}:1:2: this is not JSON: a key in double quotes is expected, not "'".`],
  ],
  ['a bare word', json('{"plan": PLAN.md}'), [`${J}:1:10: this is not JSON: a value is expected, not "PLAN.md".`]],
  [
    'an open text',
    json('{"plan": "x\n}'),
    [`${J}:1:10: this is not JSON: a text here is not closed, or holds a character that must be escaped.`],
  ],
  [
    'a missing colon',
    json('{"plan" "x"}'),
    [`${J}:1:9: this is not JSON: ":" is expected after the key "plan", not "\\"".`],
  ],
  ['something behind', json('{}\n{}'), [`${J}:2:1: this is not JSON: nothing may follow the value, but "{" does.`]],
  ['a pit', json('['.repeat(200_000)), [`${J}:1:102: this is not JSON: it is nested deeper than 100 levels.`]],
  ['nothing at all', json(' \n'), [`${J}:1: this file is empty; the least it can hold is {}.`]],
  [
    'a key twice',
    json('{\n"files": true,\n"files": false}'),
    [`${J}:3: the key "files" stands twice, first in line 2.`],
  ],
  ['only a list', json('[]'), [`${J}:1: the configuration is []; it must be a section with the keys ${TOP}.`]],
  [
    'a key twice in YAML',
    yaml('files: true\nfiles: false\n'),
    [`${Y}:2: this is not YAML we can read: Map keys must be unique.`],
  ],
  [
    'a bad indent',
    yaml('cub:\n  threshold: 3\n patterns: []\n'),
    [`${Y}:3: this is not YAML we can read: All mapping items must start at the same column.`],
  ],
  [
    'two documents',
    yaml('files: true\n---\nfiles: false\n'),
    [`${Y}:2: this is not YAML we can read: only one document may stand in it.`],
  ],
  [
    'a tag',
    yaml('files: !!js/function x\n'),
    [`${Y}:1: this is not YAML we can read: Unresolved tag: tag:yaml.org,2002:js/function.`],
  ],
  [
    'an alias of nothing',
    yaml('limits: *nobody\n'),
    [`${Y}:1: this is not YAML we can read: *nobody stands for nothing above it.`],
  ],
  [
    'a bomb',
    yaml(
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replace(/./g, (c) => {
        const before = `*${String.fromCharCode(c.charCodeAt(0) - 1)}`
        return `${c}: &${c} [${Array(9).fill(before).join(',')}]\n`
      })}`,
    ),
    [`${Y}:1: this YAML cannot be expanded: Excessive alias count indicates a resource exhaustion attack.`],
  ],
]

const outside: [string, Given, readonly string[]][] = [
  [
    'two files side by side',
    { files: { [J]: '{}', [Y]: '' } },
    [`${J} and ${Y} stand side by side; keep one of them.`],
  ],
  [
    'a file beside package.json',
    { files: { 'exitgate.config.yml': '', 'package.json': '{"exitgate": {}}' } },
    ['exitgate.config.yml and package.json#exitgate stand side by side; keep one of them.'],
  ],
  ['a file that is not there', { file: 'other.json' }, ['other.json: there is no such file.']],
  [
    'a file of another kind',
    { files: { 'exitgate.toml': '' }, file: 'exitgate.toml' },
    ['exitgate.toml: a configuration file ends in .json, .yaml, .yml, .ts or .mjs.'],
  ],
  [
    'a package.json without us',
    { files: { 'package.json': '{}' }, file: 'package.json' },
    ['package.json: there is no key "exitgate" in it.'],
  ],
  ['bytes', { files: { [J]: new Uint8Array([0xff, 0xfe, 0x7b, 0]) } }, [`${J}: this is not a text in UTF-8.`]],
  ['a text with a hole', { files: { [Y]: 'a: "\0"' } }, [`${Y}: this is not a text in UTF-8.`]],
  [
    'far too much',
    { files: { [Y]: '#'.repeat(2_000_000) } },
    [`${Y}: 2000000 bytes are too many for a configuration; at most 1048576 are read.`],
  ],
  [
    'a preset by flag',
    { flags: { preset: 'cup' } },
    ['flag --preset: "preset" is "cup"; it must be one of default, cub; did you mean "cub"?'],
  ],
  [
    'a preset by environment',
    { env: { EXITGATE_PRESET: 'zebra' } },
    ['environment EXITGATE_PRESET: "preset" is "zebra"; it must be one of default, cub.'],
  ],
  [
    'a preset that was taken out',
    json('{"preset": "ralph"}'),
    [`${J}:1: "preset" is "ralph"; it must be one of default, cub.`],
  ],
  [
    'the environment',
    { env: { EXITGATE_LIMITS_ITERATIONS: 'many', EXITGATE_FILES: 'maybe' } },
    [
      'environment EXITGATE_FILES: "files" is "maybe"; it must be true or false.',
      'environment EXITGATE_LIMITS_ITERATIONS: "limits.iterations" is "many"; it must be a whole number from 1, or null for none.',
    ],
  ],
  [
    'an older name',
    { flags: { preset: 'cub' }, env: { CUB_EXIT_THRESHOLD: 'two', CUB_HOURS: '0' } },
    [
      'environment CUB_EXIT_THRESHOLD: "cub.threshold" is "two"; it must be a whole number from 0.',
      'environment CUB_HOURS: "limits.minutes" is 0; it must be a number greater than 0, or null for none.',
    ],
  ],
  [
    'a list that is not closed',
    { env: { EXITGATE_REQUIRED: '["tests"' } },
    ['environment EXITGATE_REQUIRED: "required" is "[\\"tests\\""; it must be a list of texts.'],
  ],
  [
    'flags',
    { flags: { 'max-iterations': '1e3', plan: '', 'max-cost': '-1' } },
    [
      'flag --plan: "plan" is ""; it must be a text that is not empty, or null for none.',
      'flag --max-iterations: "limits.iterations" is "1e3"; it must be a whole number from 1, or null for none.',
      'flag --max-cost: "limits.usd" is -1; it must be a number greater than 0, or null for none.',
    ],
  ],
  [
    'a threshold where there is none',
    { flags: { threshold: '3' } },
    ['flag --threshold: the preset "default" has no threshold.'],
  ],
  [
    'two thresholds',
    { flags: { preset: 'cub', threshold: '3', 'exit-threshold': '4' } },
    ['flag --threshold is "3" and its alias --exit-threshold is "4"; give one.'],
  ],
]

describe('wrong values', () => {
  it.each(values)('%s', async (_, given, expected) => expect(await problems(given)).toEqual(expected))
})

describe('files that cannot be parsed', () => {
  it.each(syntax)('%s', async (_, given, expected) => expect(await problems(given)).toEqual(expected))
})

describe('everything around them', () => {
  it.each(outside)('%s', async (_, given, expected) => expect(await problems(given)).toEqual(expected))

  it('a folder', async () => {
    const dir = workspace()
    mkdirSync(join(dir, Y))
    expect(await problems({}, dir)).toEqual([`${Y}: this is a folder, not a file.`])
  })

  it('a device', async () => {
    const dir = workspace()
    symlinkSync('/dev/zero', join(dir, J))
    expect(await problems({}, dir)).toEqual([`${J}: this is not a regular file.`])
  })

  it('a file that may not be read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root reads everything, whatever its permissions')
    const dir = workspace({ [J]: '{}' })
    chmodSync(join(dir, J), 0)
    expect(await problems({}, dir)).toEqual([`${J}: it may not be read.`])
  })
})
