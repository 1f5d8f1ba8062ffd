import * as v from 'valibot'
import { above0, choice, flag, number, section, text, textOrNone, texts, threshold, times } from './schema-fields.ts'

/** The section of `exitgate run`. */
export function runSection() {
  const dollars = (about: string) => number('a number from 0', about, 0)
  const price = v.strictObject({
    input: dollars('Input.'),
    output: dollars('Output.'),
    cachedInput: v.optional(dollars('Input from the cache; as dear as other input when it is not said.')),
  })

  return section('How `exitgate run` drives the agent.', {
    agent: textOrNone('The agent to run: claude, codex, gemini, opencode, pi or acp.'),
    command: texts('The agent as any command, word by word; what stands behind -- goes before it.'),
    agentArgs: texts("Words for the agent's command line: model, permissions."),
    permissions: choice(
      ['reject', 'allow-edits', 'allow-all'],
      'What an agent may do that asks through the Agent Client Protocol.',
    ),
    prices: v.pipe(
      v.record(v.string(), price, 'a section of models'),
      v.description('Prices in US dollars for a million tokens, by model, for agents that do not count money.'),
    ),
    prompt: textOrNone('File with the prompt.'),
    setup: textOrNone(
      'Command that makes a fresh worktree or clone ready, before its baseline: run once for each task of a list.',
    ),
    mcp: flag('Give the agent the exit_signal tool, where it can be given one: claude, codex, opencode and acp.'),
    format: text('What the agent prints; auto finds out.'),
    iterationMinutes: above0(
      'a number greater than 0',
      'Minutes after which an iteration is cut and counts as failed.',
    ),
    silenceMinutes: above0('a number greater than 0', 'Minutes without output after which it is cut.'),
    interrupt: choice(['graceful', 'immediate'], 'Whether the first Ctrl+C lets the agent finish its iteration.'),
    graceSeconds: number('a number from 0', 'Seconds between the polite and the hard end of the agent.', 0),
    continueSession: flag("Keep the agent's session from one iteration to the next."),
    maxWaitMinutes: number('a number from 0', "Longest wait for a provider's limit to end.", 0),
    overloadRetries: threshold('Starts in a row that may fail at an overloaded provider.'),
    transcriptMegabytes: above0('a number greater than 0', 'Most output kept of one iteration.'),
    keepRuns: times('Runs of which the output is kept.'),
    checkpoint: flag('Commit the work of each iteration to a branch of its own.'),
    notify: section('Who is told at the end.', {
      bell: flag('Ring the bell of the terminal.'),
      desktop: flag('Show a notification on the desktop.'),
      webhook: textOrNone('Address that gets a POST with the ending as JSON.'),
    }),
  })
}
