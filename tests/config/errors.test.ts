import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/errors.ts'
import { leaves } from '../../src/config/leaves.ts'
import { loadConfig } from '../../src/config/load.ts'
import { keysOf } from '../../src/config/paths.ts'
import { problemsOf } from '../../src/config/validate.ts'
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
  'taskType, preset, plan, optionalSections, required, requireChange, limits, hollowClaims, unverifiable, sameTask, oscillation, blocked, asking, agentOverride, breaker, promise, patterns, files, commands, run, baseline, evidence, sandbox, learning, cub, prp, doyaken, blackbox, gsd, ralph, taskTypes'
const PRESETS = 'default, cub, prp, doyaken, blackbox, gsd, ralph'

const values: [string, Given, readonly string[]][] = [
  [
    'an unknown permission',
    json('{"run": {"permissions": "yolo"}}'),
    [`${J}:1: "run.permissions" must be one of reject, allow-edits, allow-all, not "yolo".`],
  ],
  [
    'a negative price',
    json('{"run": {"prices": {"big": {"input": -1, "output": 2}}}}'),
    [`${J}:1: "run.prices.big.input" must be a number of at least 0, not -1.`],
  ],
  [
    'an unknown key',
    json('{\n  "cub": {\n    "treshold": 3\n  }\n}'),
    [`${J}:3: unknown key "treshold" in "cub". Did you mean "threshold"?`],
  ],
  ['an unknown key at the top', yaml('\npresett: cub\n'), [`${Y}:2: unknown key "presett". Did you mean "preset"?`]],
  [
    'a key in snake case',
    json('{"optional_sections": []}'),
    [`${J}:1: unknown key "optional_sections". Did you mean "optionalSections"?`],
  ],
  [
    'a key that belongs in a section',
    json('{"iterations": 3}'),
    [`${J}:1: unknown key "iterations". Did you mean "limits.iterations"?`],
  ],
  [
    'a dotted key',
    json('{"limits.iterations": 3}'),
    [`${J}:1: unknown key "limits.iterations". Write it as an object: "limits" with the key "iterations".`],
  ],
  ['a key without a similar one', json('{"zebra": 1}'), [`${J}:1: unknown key "zebra". Known keys: ${TOP}.`]],
  [
    'a key without a similar one in its section',
    json('{"gsd": {"zebra": 1}}'),
    [`${J}:1: unknown key "zebra" in "gsd". Known keys: unknownTests.`],
  ],
  [
    'a key that every object inherits',
    json('{"constructor": 1}'),
    [`${J}:1: unknown key "constructor". Known keys: ${TOP}.`],
  ],
  [
    'a setting of an earlier release',
    json('{"evidence": {"changedInputs": "warn"}}'),
    [`${J}:1: unknown key "changedInputs" in "evidence". This setting no longer exists. Delete it.`],
  ],
  [
    'the key __proto__',
    json('{"__proto__": {"a": 1}}'),
    [`${J}:1: unknown key "__proto__". Did you mean "evidence.proof"?`],
  ],
  [
    '__proto__ as a name',
    json('{"taskTypes": {"__proto__": {}}}'),
    [`${J}:1: the name "__proto__" in "taskTypes" is not allowed. Use letters, digits, spaces, "-" and "_".`],
  ],
  [
    'a string for a number',
    json('{\n"cub": {"threshold": "two"}}'),
    [`${J}:2: "cub.threshold" must be a whole number of at least 0, not "two".`],
  ],
  [
    'a negative number',
    json('{"cub": {"threshold": -1}}'),
    [`${J}:1: "cub.threshold" must be a whole number of at least 0, not -1.`],
  ],
  [
    'a fraction for a whole number',
    json('{"sameTask": 1.5}'),
    [`${J}:1: "sameTask" must be a whole number of at least 1, not 1.5.`],
  ],
  [
    'zero in a row',
    json('{"hollowClaims": 0}'),
    [`${J}:1: "hollowClaims" must be a whole number of at least 1, not 0.`],
  ],
  [
    'zero minutes',
    json('{"limits": {"minutes": 0}}'),
    [`${J}:1: "limits.minutes" must be null or a number greater than 0, not 0.`],
  ],
  [
    'null where a value is needed',
    json('{"sameTask": null}'),
    [`${J}:1: "sameTask" must be a whole number of at least 1, not null.`],
  ],
  [
    'more than 100 percent',
    json('{"doyaken": {"threshold": 101}}'),
    [`${J}:1: "doyaken.threshold" must be a whole number from 0 to 100, not 101.`],
  ],
  [
    'more than the value that turns it off',
    json('{"blackbox": {"minCompletion": 102}}'),
    [`${J}:1: "blackbox.minCompletion" must be a whole number from 0 to 101, not 102.`],
  ],
  ['NaN', yaml('blocked: .nan\n'), [`${Y}:1: "blocked" must be a whole number of at least 1, not NaN.`]],
  [
    'infinite minutes',
    yaml('breaker:\n  cooldownMinutes: .inf\n'),
    [`${Y}:2: "breaker.cooldownMinutes" must be a number of at least 0, not Infinity.`],
  ],
  ['yes is a string in YAML', yaml('files: yes\n'), [`${Y}:1: "files" must be true or false, not "yes".`]],
  ['an empty string', json('{"promise": ""}'), [`${J}:1: "promise" must be a non-empty string, not "".`]],
  [
    'not one of the choices',
    json('{"preset": "cubb"}'),
    [`${J}:1: "preset" must be one of ${PRESETS}, not "cubb". Did you mean "cub"?`],
  ],
  [
    'not one of the choices, none similar',
    json('{"gsd": {"unknownTests": "perhaps"}}'),
    [`${J}:1: "gsd.unknownTests" must be one of fail, pass, not "perhaps".`],
  ],
  [
    'items of a list',
    json('{\n"required": [\n"tests",\n3,\n""]}'),
    [`${J}:4: "required[1]" must be a string, not 3.`, `${J}:5: "required[2]" must be a non-empty string, not "".`],
  ],
  [
    'a string for a list',
    json('{"required": "tests"}'),
    [`${J}:1: "required" must be a list of strings, not "tests".`],
  ],
  [
    'a number for an object',
    json('{"limits": 5}'),
    [`${J}:1: "limits" must be an object with the keys iterations, minutes, usd, tokens, callsPerHour, not 5.`],
  ],
  ['a list for an object with names', json('{"taskTypes": []}'), [`${J}:1: "taskTypes" must be an object, not [].`]],
  [
    'a limit inside a phase',
    json('{"breaker": {"phases": {"RED": {"loops": "x"}}}}'),
    [`${J}:1: "breaker.phases.RED.loops" must be a whole number of at least 0 (0 turns it off), not "x".`],
  ],
  [
    'a task type inside a task type',
    json('{"taskTypes": {"docs": {"taskTypes": {}}}}'),
    [
      `${J}:1: unknown key "taskTypes" in "taskTypes.docs". Known keys: ${TOP.replace('taskType, ', '').replace(', taskTypes', '')}.`,
    ],
  ],
  [
    'every problem, in order',
    yaml('presets: cub\nlimits:\n  iterations: 0\n  usd: free\ncub:\n  treshold: 1\n'),
    [
      `${Y}:1: unknown key "presets". Did you mean "preset"?`,
      `${Y}:3: "limits.iterations" must be null or a whole number of at least 1, not 0.`,
      `${Y}:4: "limits.usd" must be null or a number greater than 0, not "free".`,
      `${Y}:6: unknown key "treshold" in "cub". Did you mean "threshold"?`,
    ],
  ],
  [
    'package.json, with its own line numbers',
    { files: { 'package.json': '{\n  "name": "x",\n  "exitgate": {\n    "files": 1\n  }\n}' } },
    ['package.json:4: "files" must be true or false, not 1.'],
  ],
  [
    'package.json with a string under our key',
    { files: { 'package.json': '{"exitgate": "on"}' } },
    [`package.json:1: the configuration must be an object with the keys ${TOP}, not "on".`],
  ],
  [
    'an invalid pattern',
    json('{"patterns": ["done", "(a"]}'),
    [
      `${J}:1: "patterns[1]" must be a regular expression without look-around or back-references, not "(a" (missing closing ): \`(a\`).`,
    ],
  ],
  [
    'a pattern with look-around',
    yaml('cub:\n  patterns: ["a(?=b)"]\n'),
    [
      `${Y}:2: "cub.patterns[0]" must be a regular expression without look-around or back-references, not "a(?=b)" (invalid or unsupported Perl syntax: \`(?=\`).`,
    ],
  ],
  [
    'a number in a list of names or objects',
    json('{"evidence": {"quarantine": ["network is fine",\n 5]}}'),
    [`${J}:2: "evidence.quarantine[1]" must be a test name or an object with the keys test, until, reason, not 5.`],
  ],
  [
    'keys missing in an object of a list',
    json('{"evidence": {"quarantine": [{"test": "network is fine"}], "allow": [{"kind": "skip"}]}}'),
    [
      `${J}:1: "evidence.quarantine[0]" needs the keys until, reason.`,
      `${J}:1: "evidence.allow[0]" needs the key reason.`,
    ],
  ],
  [
    'a misspelled key in an object of a list',
    yaml('evidence:\n  quarantine:\n    - test: x\n      until: 2030-01-01\n      reson: clock\n      reason: 5\n'),
    [
      `${Y}:5: unknown key "reson" in "evidence.quarantine[0]". Did you mean "reason"?`,
      `${Y}:6: "evidence.quarantine[0].reason" must be a string, not 5.`,
    ],
  ],
  [
    'a name for an object in a list',
    json('{"evidence": {"allow": ["skip"]}}'),
    [`${J}:1: "evidence.allow[0]" must be an object with the keys kind, file, reason, not "skip".`],
  ],
  [
    'a misspelled word beside true and false',
    json('{"evidence": {"proof": "requierd"}}'),
    [`${J}:1: "evidence.proof" must be one of auto, required, report, not "requierd". Did you mean "required"?`],
  ],
  [
    'a price without its output',
    json('{"run": {"prices": {"my-model": {"input": 1}}}}'),
    [`${J}:1: "run.prices.my-model" needs the key output.`],
  ],
  [
    'a long value is shortened and safe for a terminal',
    json(`{"files": "\\u001b[2J\\u009b${'x'.repeat(100)}"}`),
    [`${J}:1: "files" must be true or false, not "\\u001b[2J\\u009b${'x'.repeat(61)}....`],
  ],
]

const syntax: [string, Given, readonly string[]][] = [
  ['a truncated file', json('{"cub": {'), [`${J}:1:10: invalid JSON: expected "}", found the end of the file.`]],
  ['a trailing comma', json('{\n  "files": true,\n}'), [`${J}:3:1: invalid JSON: trailing comma before "}".`]],
  ['a missing comma', json('{"files": true "plan": "x"}'), [`${J}:1:16: invalid JSON: expected ",", found "\\"".`]],
  [
    'a comment',
    json('{\n  // why\n  "files": true\n}'),
    [`${J}:2:3: invalid JSON: expected a key or a value, found a comment (only YAML files may have comments).`],
  ],
  [
    'single quotes',
    json("{'files': true}"),
    [`${J}:1:2: invalid JSON: expected text in double quotes, a number, true, false or null, found "'".`],
  ],
  [
    'a string without quotes',
    json('{"plan": PLAN.md}'),
    [`${J}:1:10: invalid JSON: expected text in double quotes, a number, true, false or null, found "PLAN.md".`],
  ],
  [
    'an unterminated string',
    json('{"plan": "x\n}'),
    [`${J}:1:10: invalid JSON: unterminated string, or a character that must be escaped.`],
  ],
  ['a missing colon', json('{"plan" "x"}'), [`${J}:1:9: invalid JSON: expected ":", found "\\"".`]],
  ['text after the value', json('{}\n{}'), [`${J}:2:1: invalid JSON: expected the end of the file, found "{".`]],
  ['a pit', json('['.repeat(200_000)), [`${J}:1:101: invalid JSON: nested deeper than 100 levels.`]],
  ['an empty file', json(' \n'), [`${J}:1: this file is empty. Write {} for an empty configuration.`]],
  [
    'a duplicate key',
    json('{\n"files": true,\n"files": false}'),
    [`${J}:3: duplicate key "files", first defined on line 2. Remove one of them.`],
  ],
  ['only a list', json('[]'), [`${J}:1: the configuration must be an object with the keys ${TOP}, not [].`]],
  ['a duplicate key in YAML', yaml('files: true\nfiles: false\n'), [`${Y}:2: invalid YAML: Map keys must be unique.`]],
  [
    'wrong indentation',
    yaml('cub:\n  threshold: 3\n patterns: []\n'),
    [`${Y}:3: invalid YAML: All mapping items must start at the same column.`],
  ],
  [
    'two documents',
    yaml('files: true\n---\nfiles: false\n'),
    [`${Y}:2: invalid YAML: the file must contain only one document.`],
  ],
  ['a tag', yaml('files: !!js/function x\n'), [`${Y}:1: invalid YAML: Unresolved tag: tag:yaml.org,2002:js/function.`]],
  [
    'an undefined alias',
    yaml('limits: *nobody\n'),
    [`${Y}:1: invalid YAML: the alias *nobody is not defined above this line.`],
  ],
  [
    'a bomb',
    yaml(
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replace(/./g, (c) => {
        const before = `*${String.fromCharCode(c.charCodeAt(0) - 1)}`
        return `${c}: &${c} [${Array(9).fill(before).join(',')}]\n`
      })}`,
    ),
    [`${Y}:1: invalid YAML: Excessive alias count indicates a resource exhaustion attack.`],
  ],
]

const outside: [string, Given, readonly string[]][] = [
  [
    'two configuration files',
    { files: { [J]: '{}', [Y]: '' } },
    [`found more than one configuration: ${J} and ${Y}. Keep one of them.`],
  ],
  [
    'a configuration file and package.json',
    { files: { 'exitgate.config.yml': '', 'package.json': '{"exitgate": {}}' } },
    ['found more than one configuration: exitgate.config.yml and package.json#exitgate. Keep one of them.'],
  ],
  ['a missing file', { file: 'other.json' }, ['other.json: no such file. Check the path passed with --config.']],
  [
    'an unsupported file type',
    { files: { 'exitgate.toml': '' }, file: 'exitgate.toml' },
    ['exitgate.toml: unsupported file type. Use .json, .yaml, .yml, .ts or .mjs.'],
  ],
  [
    'a package.json without an exitgate key',
    { files: { 'package.json': '{}' }, file: 'package.json' },
    ['package.json: this file has no "exitgate" key. Add one, or pass another file.'],
  ],
  ['not UTF-8', { files: { [J]: new Uint8Array([0xff, 0xfe, 0x7b, 0]) } }, [`${J}: this is not a UTF-8 text file.`]],
  ['a null byte', { files: { [Y]: 'a: "\0"' } }, [`${Y}: this is not a UTF-8 text file.`]],
  [
    'a file that is too large',
    { files: { [Y]: '#'.repeat(2_000_000) } },
    [`${Y}: too large for a configuration (2000000 bytes, at most 1048576).`],
  ],
  [
    'an unknown preset in a flag',
    { flags: { preset: 'cup' } },
    ['flag --preset: "preset" must be one of default, cub, not "cup". Did you mean "cub"?'],
  ],
  [
    'an unknown preset in the environment',
    { env: { EXITGATE_PRESET: 'zebra' } },
    ['environment EXITGATE_PRESET: "preset" must be one of default, cub, not "zebra".'],
  ],
  [
    'a preset that is not available',
    json('{"preset": "ralph"}'),
    [`${J}:1: "preset" must be one of default, cub, not "ralph".`],
  ],
  [
    'wrong environment variables',
    { env: { EXITGATE_LIMITS_ITERATIONS: 'many', EXITGATE_FILES: 'maybe' } },
    [
      'environment EXITGATE_FILES: "files" must be true or false, not "maybe".',
      'environment EXITGATE_LIMITS_ITERATIONS: "limits.iterations" must be null or a whole number of at least 1, not "many".',
    ],
  ],
  [
    'wrong variables of the older tool',
    { flags: { preset: 'cub' }, env: { CUB_EXIT_THRESHOLD: 'two', CUB_HOURS: '0' } },
    [
      'environment CUB_EXIT_THRESHOLD: "cub.threshold" must be a whole number of at least 0, not "two".',
      'environment CUB_HOURS: "limits.minutes" must be null or a number greater than 0, not 0.',
    ],
  ],
  [
    'a list that is not closed',
    { env: { EXITGATE_REQUIRED: '["tests"' } },
    ['environment EXITGATE_REQUIRED: "required" must be a list of strings, not "[\\"tests\\"".'],
  ],
  [
    'wrong flags',
    { flags: { 'max-iterations': '1e3', plan: '', 'max-cost': '-1' } },
    [
      'flag --plan: "plan" must be null or a non-empty string, not "".',
      'flag --max-iterations: "limits.iterations" must be null or a whole number of at least 1, not "1e3".',
      'flag --max-cost: "limits.usd" must be null or a number greater than 0, not -1.',
    ],
  ],
  [
    'a threshold for a preset without one',
    { flags: { threshold: '3' } },
    ['flag --threshold: the preset "default" has no threshold. Remove the flag, or choose another preset.'],
  ],
  [
    'two different thresholds',
    { flags: { preset: 'cub', threshold: '3', 'exit-threshold': '4' } },
    ['flag --threshold is "3", but its alias --exit-threshold is "4". Pass only one of them.'],
  ],
]

/** Words of the validator, which would reach the user if a part of the schema had no message of its own. */
const OF_THE_LIBRARY = /Invalid|Expected|[Rr]eceived|undefined|\[object/
const SAMPLES: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  '',
  'stict',
  [],
  [5],
  ['x'],
  [null],
  [{}],
  [{ x: 1 }],
  [[]],
  {},
  { x: 1 },
  { x: {} },
  { x: { y: 1 } },
]

describe('wrong values', () => {
  it.each(values)('%s', async (_, given, expected) => expect(await problems(given)).toEqual(expected))

  it('are described in our own words, for every setting and many values', () => {
    const paths = new Set([...leaves().keys()].flatMap((path) => [path, path.split('.')[0]!]))
    const texts = [...paths].flatMap((path) =>
      SAMPLES.flatMap((sample) =>
        problemsOf(keysOf(path).reduceRight<unknown>((inner, key) => ({ [key]: inner }), sample)).map(
          ({ text }) => text,
        ),
      ),
    )
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => OF_THE_LIBRARY.test(text))).toEqual([])
  })
})

describe('files that cannot be parsed', () => {
  it.each(syntax)('%s', async (_, given, expected) => expect(await problems(given)).toEqual(expected))
})

describe('files, environment and flags', () => {
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

  it('a file without read permission', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root reads everything, whatever its permissions')
    const dir = workspace({ [J]: '{}' })
    chmodSync(join(dir, J), 0)
    expect(await problems({}, dir)).toEqual([`${J}: permission denied. Make the file readable.`])
  })
})
