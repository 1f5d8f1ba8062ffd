import { isSecretName } from '../system/environment.ts'
import { FleetError } from './errors.ts'

/** What one worker may hand out: its file, `worker.yaml`, belongs to whoever runs the machine and never to a task. */
export interface WorkerFile {
  /** By queue: which variables of the worker's environment its agents are given. */
  readonly queues: Readonly<Record<string, QueueFile>>
  /** Agents by name beside those that exitgate knows, each the words of its command. */
  readonly agents: Readonly<Record<string, readonly string[]>>
}

export interface QueueFile {
  /** Variables that hold secrets: their values are taken out of everything that is kept. */
  readonly secrets: readonly string[]
  /** Other variables, shown as they are. */
  readonly settings: readonly string[]
  /** The agent of tasks that name none. */
  readonly agent?: string
}

const NOTHING: QueueFile = { secrets: [], settings: [] }

export const queueFile = (file: WorkerFile, queue: string): QueueFile => file.queues[queue] ?? NOTHING

/** The file's text, read by the one rule of this house: what is not known is named, and nothing is guessed. */
export async function readWorkerFile(text: string, name: string): Promise<WorkerFile> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new FleetError(`${name} is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  const file = treeOf(value ?? {}, name, 'the file')
  only(file, ['queues', 'agents'], name, 'the file')
  const queues = entriesOf(file.queues, name, 'queues').map(([queue, each]) => [queue, queueOf(each, name, queue)])
  const agents = entriesOf(file.agents, name, 'agents').map(([agent, words]) => [agent, agentOf(words, name, agent)])
  return { queues: Object.fromEntries(queues), agents: Object.fromEntries(agents) }
}

function queueOf(value: unknown, name: string, queue: string): QueueFile {
  const where = `queues.${queue}`
  const tree = treeOf(value ?? {}, name, where)
  only(tree, ['secrets', 'settings', 'agent'], name, where)
  const secrets = words(tree.secrets ?? [], name, `${where}.secrets`)
  const plain = secrets.find((each) => !isSecretName(each))
  if (plain !== undefined)
    throw new FleetError(
      `${name}: ${where}.secrets names "${plain}", which does not look like a secret's name, so its value could not be kept out of ` +
        'journals; let it end in _KEY, _TOKEN, _SECRET or _PASSWORD, or name it under settings',
    )
  const settings = words(tree.settings ?? [], name, `${where}.settings`)
  const secret = settings.find(isSecretName)
  if (secret !== undefined)
    throw new FleetError(
      `${name}: ${where}.settings names "${secret}", which looks like a secret; name it under secrets`,
    )
  if (tree.agent === undefined) return { secrets, settings }
  if (typeof tree.agent !== 'string')
    throw new FleetError(`${name}: ${where}.agent is no name; give the name of an agent`)
  return { secrets, settings, agent: tree.agent }
}

function agentOf(value: unknown, name: string, agent: string): readonly string[] {
  const argv = words(value, name, `agents.${agent}`)
  if (argv.length > 0) return argv
  throw new FleetError(`${name}: agents.${agent} is empty; give the words of its command as a list`)
}

function words(value: unknown, name: string, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string' && each !== ''))
    return value
  throw new FleetError(`${name}: ${where} is not a list of words; write it as [ONE, TWO]`)
}

function entriesOf(value: unknown, name: string, where: string): readonly (readonly [string, unknown])[] {
  return Object.entries(treeOf(value ?? {}, name, where))
}

function treeOf(value: unknown, name: string, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new FleetError(`${name}: ${where} is not a list of names with values; write it as "name: value" lines`)
}

function only(tree: Readonly<Record<string, unknown>>, known: readonly string[], name: string, where: string): void {
  const other = Object.keys(tree).find((key) => !known.includes(key))
  if (other !== undefined)
    throw new FleetError(`${name}: ${where} has "${other}", which is not known; it may have ${known.join(', ')}`)
}
