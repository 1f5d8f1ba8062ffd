import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Place {
  /** The project. */
  readonly dir: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Why the agent doesn't call hooks of the project, and what to do. */
export interface Distrust {
  readonly text: string
  readonly remedy: string
}

/**
 * Some agents skip the hooks of a project without a word until their user trusts the folder. Undefined if the folder is trusted, or if
 * the agent has no such list.
 */
export function folderDistrust(host: string, place: Place): Distrust | undefined {
  switch (host) {
    case 'copilot': {
      const { trusted_folders, trustedFolders } = fieldsOf(join(copilotHome(place), 'config.json'))
      const lists = [trusted_folders, trustedFolders].flatMap((list) => (Array.isArray(list) ? list : []))
      if (upwards(place.dir).some((folder) => lists.includes(folder))) return undefined
      return {
        text: 'Copilot CLI skips hooks of this project, because its folder is not trusted',
        remedy: 'Start copilot here once and trust the folder for future sessions, or install the hook with --user.',
      }
    }
    case 'pi': {
      const agent = place.env.PI_CODING_AGENT_DIR || join(place.home, '.pi', 'agent')
      const decisions = fieldsOf(join(agent, 'trust.json'))
      const nearest = upwards(place.dir).find((folder) => typeof decisions[folder] === 'boolean')
      const isTrusted = nearest === undefined ? undefined : decisions[nearest] === true
      if (isTrusted ?? fieldsOf(join(agent, 'settings.json')).defaultProjectTrust === 'always') return undefined
      return {
        text: 'newer versions of pi skip extensions of this project, because its folder is not trusted',
        remedy: 'Type /trust in pi, start it with --approve, or install the hook with --user.',
      }
    }
    case 'grok':
      return {
        text: 'Grok skips hooks of a project until its folder is trusted',
        remedy: 'Type /hooks-trust in grok, or start it with --trust.',
      }
    default:
      return undefined
  }
}

const copilotHome = ({ home, env }: Place): string => env.COPILOT_HOME || join(home, '.copilot')

/** The folder and all above it, without links. */
function upwards(folder: string): readonly string[] {
  const folders = [realPath(folder)]
  for (let above = dirname(folders[0]!); above !== folders.at(-1); above = dirname(above)) folders.push(above)
  return folders
}

function realPath(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

/** The fields of a JSON object in a file, which may have comment lines; none if it can't be read. */
function fieldsOf(file: string): Readonly<Record<string, unknown>> {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    const value: unknown = JSON.parse(lines.filter((line) => !line.trimStart().startsWith('//')).join('\n'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
