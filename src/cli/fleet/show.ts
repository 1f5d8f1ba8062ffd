import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { materialise } from '../../fleet/materialise.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { COMMANDS } from '../commands/index.ts'
import { oneOf } from '../parse.ts'
import { placeOf } from '../place.ts'
import type { FleetCall } from './options.ts'

const SHOWN = ['explain', 'replay', 'backtest', 'report', 'state', 'history'] as const

/** `exitgate fleet show RUN COMMAND`: a run of the fleet, seen by the command that shows local ones. */
export async function run({ url, values, words, behind, io }: FleetCall): Promise<number> {
  const [name = '', word = ''] = words
  const command = oneOf('exitgate fleet show', word, SHOWN)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  try {
    const [workspace, states] = [join(folder, 'work'), join(folder, 'state')]
    mkdirSync(workspace)
    const { dir } = placeOf(workspace, states, io)
    const { run: found } = await materialise(url, name, dir)
    const entry = await COMMANDS[command]?.load()
    const passed = ['json', 'no-color'] as const
    const flags = passed.filter((flag) => values[flag] === true).map((flag) => `--${flag}`)
    const given = [...flags, ...behind]
    // A page in the workspace would be gone with it.
    const out = command === 'report' && makesPage(given) ? ['--out', `${found}.html`] : []
    return (await entry?.run(['--dir', workspace, '--state-dir', states, ...out, ...given], io)) ?? 0
  } finally {
    removeFolderSync(folder)
  }
}

/** Everything else goes to standard output, or where the person said. */
const makesPage = (words: readonly string[]): boolean =>
  !words.some((word) => /^(?:--out|--json$|(?:--format=)?(?:markdown|json)$)/.test(word))
