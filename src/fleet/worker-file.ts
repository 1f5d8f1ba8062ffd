import { isSecretName } from '../system/environment.ts'
import { FleetError } from './errors.ts'

/** A worker's own file, `worker.yaml`. It belongs to the operator of the machine, never to a task. */
export interface WorkerFile {
  /** Per queue: which variables of the worker's environment its agents get. */
  readonly queues: Readonly<Record<string, QueueFile>>
  /** Additional agents by name, each with its command line. */
  readonly agents: Readonly<Record<string, readonly string[]>>
}

export interface QueueFile {
  /** Variables with secrets. Their values are removed from everything that is stored. */
  readonly secrets: readonly string[]
  /** Other variables, stored and shown unredacted. */
  readonly settings: readonly string[]
  /** The agent for tasks that don't name one. */
  readonly agent?: string
}

const NO_SETTINGS: QueueFile = { secrets: [], settings: [] }

export const queueFile = (file: WorkerFile, queue: string): QueueFile => file.queues[queue] ?? NO_SETTINGS

/** Parses the file strictly: unknown keys are errors, and nothing is guessed. */
export async function readWorkerFile(text: string, name: string): Promise<WorkerFile> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new FleetError(`${name} is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  const file = treeOf(value ?? {}, name, 'the file')
  assertKnownKeys(file, ['queues', 'agents'], name, 'the file')
  const queues = entriesOf(file.queues, name, 'queues').map(([queue, each]) => [queue, queueOf(each, name, queue)])
  const agents = entriesOf(file.agents, name, 'agents').map(([agent, words]) => [agent, agentOf(words, name, agent)])
  return { queues: Object.fromEntries(queues), agents: Object.fromEntries(agents) }
}

function queueOf(value: unknown, name: string, queue: string): QueueFile {
  const where = `queues.${queue}`
  const tree = treeOf(value ?? {}, name, where)
  assertKnownKeys(tree, ['secrets', 'settings', 'agent'], name, where)
  const secrets = words(tree.secrets ?? [], name, `${where}.secrets`)
  const notSecret = secrets.find((each) => !isSecretName(each))
  if (notSecret !== undefined)
    throw new FleetError(
      `${name}: ${where}.secrets lists "${notSecret}", which doesn't look like the name of a secret, so its value can't be kept out of ` +
        'journals. Use a name that ends in _KEY, _TOKEN, _SECRET or _PASSWORD, or list it under settings.',
    )
  const settings = words(tree.settings ?? [], name, `${where}.settings`)
  const secret = settings.find(isSecretName)
  if (secret !== undefined)
    throw new FleetError(
      `${name}: ${where}.settings lists "${secret}", which looks like a secret. List it under secrets.`,
    )
  if (tree.agent === undefined) return { secrets, settings }
  if (typeof tree.agent !== 'string') throw new FleetError(`${name}: ${where}.agent must be the name of an agent`)
  return { secrets, settings, agent: tree.agent }
}

function agentOf(value: unknown, name: string, agent: string): readonly string[] {
  const argv = words(value, name, `agents.${agent}`)
  if (argv.length > 0) return argv
  throw new FleetError(`${name}: agents.${agent} is empty. Write its command as a list: [PROGRAM, ARGUMENT].`)
}

function words(value: unknown, name: string, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string' && each !== ''))
    return value
  throw new FleetError(`${name}: ${where} must be a list of strings. Write it as [ONE, TWO].`)
}

function entriesOf(value: unknown, name: string, where: string): readonly (readonly [string, unknown])[] {
  return Object.entries(treeOf(value ?? {}, name, where))
}

function treeOf(value: unknown, name: string, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new FleetError(`${name}: ${where} must be a mapping. Write it as "name: value" lines.`)
}

function assertKnownKeys(
  tree: Readonly<Record<string, unknown>>,
  known: readonly string[],
  name: string,
  where: string,
): void {
  const other = Object.keys(tree).find((key) => !known.includes(key))
  if (other !== undefined)
    throw new FleetError(`${name}: ${where} has an unknown key "${other}". Known keys: ${known.join(', ')}.`)
}
