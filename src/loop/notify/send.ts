import { statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { ALERT_KINDS, type NotifyConfig } from '../../core/run-config.ts'
import { pathOutside } from '../../system/git.ts'
import { runCommand } from '../../system/run-command.ts'
import { type Alert, alertJson, alertLine, type NotifyIo } from './alert.ts'
import { ring, showOnDesktop } from './desktop.ts'
import { type Message, sendMessage } from './message.ts'

/** Sends an alert in every configured way. Returns a sentence per failure; never throws. */
export async function notify(alert: Alert, config: NotifyConfig, io: NotifyIo): Promise<readonly string[]> {
  const wanted = config.on ?? ALERT_KINDS
  if (!alert.kinds.some((kind) => wanted.includes(kind))) return []
  const text = alertLine(alert)
  if (config.bell) ring(text, io)
  const problems = await Promise.all([
    config.desktop ? showOnDesktop(text, io) : undefined,
    config.command === undefined ? undefined : runOwnCommand(config.command, alert, io),
    ...messagesOf(alert, config, io).map((message) => (typeof message === 'string' ? message : sendMessage(message))),
  ])
  return problems.filter((problem) => problem !== undefined)
}

/** The messages over HTTP, or a sentence about what is wrong with a setting. */
function messagesOf(alert: Alert, config: NotifyConfig, io: NotifyIo): readonly (Message | string)[] {
  const text = `${alertLine(alert)} (${nameOf(io.workspace)})`
  const { webhook, slack, ntfy, telegramToken, telegramChat } = config
  return [
    webhook === undefined
      ? undefined
      : fromSetting('webhook', webhook, io, (address) => ({
          ...{ address, setting: 'run.notify.webhook', name: 'The webhook' },
          body: alertJson(alert, io.workspace),
        })),
    slack === undefined
      ? undefined
      : fromSetting('slack', slack, io, (address) => ({
          ...{ address, setting: 'run.notify.slack', name: 'Slack' },
          body: JSON.stringify({ text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }),
        })),
    ntfy === undefined
      ? undefined
      : fromSetting('ntfy', ntfy, io, (topic) => ({
          address: /^[\w-]+$/.test(topic) ? `https://ntfy.sh/${topic}` : topic,
          ...{ setting: 'run.notify.ntfy', name: 'ntfy', body: text },
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            title: 'exitgate',
            ...(alert.kinds.some((kind) => kind === 'needs-you' || kind === 'breaker') ? { priority: 'high' } : {}),
          },
        })),
    telegramToken === undefined
      ? undefined
      : fromSetting('telegramToken', telegramToken, io, (token) =>
          telegramChat === undefined
            ? "Telegram wasn't called: set run.notify.telegramChat to the id of the chat."
            : {
                address: `${io.telegram ?? 'https://api.telegram.org'}/bot${token}/sendMessage`,
                ...{ setting: 'run.notify.telegramToken', name: 'Telegram' },
                body: JSON.stringify({ chat_id: telegramChat, text }),
              },
        ),
  ].filter((message) => message !== undefined)
}

/** `$NAME` stands for a variable of your environment, so that no secret has to be in a file of the project. */
function fromSetting(
  key: string,
  value: string,
  { env }: NotifyIo,
  message: (value: string) => Message | string,
): Message | string {
  if (!value.startsWith('$')) return message(value)
  const found = env[value.slice(1)]
  return found ? message(found) : `run.notify.${key} is ${value}, but this environment variable is not set.`
}

const nameOf = (workspace: string): string => workspace.split(/[/\\]/).findLast((part) => part !== '') ?? workspace

const COMMAND_MS = 10_000

/**
 * Your own command gets the alert as JSON on standard input and its text as $EXITGATE_ALERT. It runs outside the sandbox. So it starts
 * in your home folder, without the workspace on its PATH: the agent must not be able to replace what it runs.
 */
async function runOwnCommand(line: string, alert: Alert, io: NotifyIo): Promise<string | undefined> {
  const env = Object.fromEntries(
    Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const home = io.env.HOME ?? homedir()
  const { code, ended } = await runCommand(
    statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : tmpdir(),
    line,
    {
      deadlineMs: COMMAND_MS,
      maxBytes: 1024,
      input: `${alertJson(alert, io.workspace)}\n`,
      env: {
        ...env,
        PATH: pathOutside(io.workspace, io.env.PATH ?? ''),
        EXITGATE_ALERT: alertLine(alert),
        EXITGATE_EVENT: alert.kinds[0],
      },
    },
  )
  if (ended === 'exit' && code === 0) return undefined
  const why = ended === 'deadline' ? `it took longer than ${COMMAND_MS / 1000} s` : `exit code ${code}`
  return `The command in run.notify.command failed: ${why}.`
}
