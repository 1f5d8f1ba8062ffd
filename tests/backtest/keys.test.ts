import { expect, it } from 'vitest'
import { comparableFacts } from '../../src/backtest/comparable-facts.ts'
import { BASE } from '../../src/config/defaults.ts'
import { type Leaf, leaves } from '../../src/config/leaves.ts'
import { layerOf, merge, type Tree, valueAt } from '../../src/config/merge.ts'
import { observation } from '../../src/core/policy/look.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'

/** Keys of these sections decide how an agent runs and which checks run. */
const SECTIONS = /^(?:evidence|commands|run|baseline)\./

/** Those that change nothing a recorded run has observed, each with its reason. */
const MEANS_NOTHING: Readonly<Record<string, string>> = {
  'run.interrupt': 'how a person is heard',
  'run.graceSeconds': 'how long an ended agent may take',
  'run.transcriptMegabytes': 'what is kept for people',
  'run.keepRuns': 'what is kept for people',
  'run.checkpoint': 'what is kept for people',
  'run.notify.bell': 'who is told',
  'run.notify.desktop': 'who is told',
  'run.notify.webhook': 'who is told',
  'run.notify.on': 'who is told',
  'run.notify.slack': 'who is told',
  'run.notify.ntfy': 'who is told',
  'run.notify.telegramToken': 'who is told',
  'run.notify.telegramChat': 'who is told',
  'run.notify.command': 'who is told',
  'evidence.mutationMinutes': 'nothing without evidence.mutation',
  'run.questionMinutes': 'how a person is heard',
}

const others: Readonly<Record<string, (value: unknown) => unknown>> = {
  number: (value) => (typeof value === 'number' ? value + 1 : 7),
  boolean: (value) => value !== true,
  string: () => 'another',
  array: () => ['another'],
  picklist: () => 'another',
}

const changed = ({ path, kind }: Leaf) => {
  // Without the check its recorded answer is left out, which stays valid.
  const value = others[kind]?.(valueAt(BASE, path)) ?? 'another'
  const base = { patch: BASE as unknown as Tree, label: () => '' }
  return merge([base, layerOf([{ path, value, label: '' }])], []).config
}

it('it is known for every key of the agent and the evidence whether recorded facts stay valid', () => {
  const ruled = (config: typeof BASE) => ({ config, policy: policyFor(config) })
  const untold = [...leaves().values()]
    .filter(({ path }) => SECTIONS.test(path))
    .filter(
      (leaf) => typeof comparableFacts(ruled(BASE), ruled(changed(leaf)))(observation(NO_SIGNALS, {})) !== 'string',
    )
    .map(({ path }) => path)
  expect(untold.filter((path) => !Object.hasOwn(MEANS_NOTHING, path))).toEqual([])
})
