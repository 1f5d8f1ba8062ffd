import type { KnownCommand, KnownOption } from './tree.ts'

export function fishCompletion(commands: readonly KnownCommand[]): string {
  const first = commands.map(
    ({ name, about }) => `${complete('test (count (commandline -opc)) -eq 1')} -a ${name} -d ${quoted(about)}`,
  )
  const rest = commands.flatMap(({ name, options, words }) => [
    ...options.map((option) => `${complete(`__exitgate_is ${name}`)} ${optionOf(option)}`),
    ...words.map((each, at) => `${complete(`__exitgate_is ${name} ${at + 1}`)} -a ${quoted(each.join(' '))}`),
  ])
  return `# Completion of exitgate for fish. exitgate completion fish > ~/.config/fish/completions/exitgate.fish
function __exitgate_is -d 'the command, and how many words stand behind it'
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]; or return 1
    # Behind -- stands another program.
    contains -- -- $words; and return 1
    set -q argv[2]; or return 0
    test (count (string match -v -- '-*' $words)) -eq (math $argv[2] + 1)
end
complete -c exitgate -f
${first.join('\n')}
${complete('test (count (commandline -opc)) -eq 1')} -a help -d 'the help of a command'
${complete('__exitgate_is help 1')} -a ${quoted(commands.map(({ name }) => name).join(' '))}
${rest.join('\n')}
# The command of the agent may be anything.
complete -c exitgate -n 'contains -- -- (commandline -opc)' -F
`
}

const complete = (when: string): string => `complete -c exitgate -n ${quoted(when)}`

function optionOf({ name, about, takes }: KnownOption): string {
  const text = about === '' ? '' : ` -d ${quoted(about)}`
  return `-l ${name}${takes === undefined ? '' : valuesOf(takes)}${text}`
}

function valuesOf(takes: NonNullable<KnownOption['takes']>): string {
  if (takes === 'text') return ' -x'
  if (takes === 'file') return ' -r -F'
  return takes === 'folder' ? ` -x -a '(__fish_complete_directories)'` : ` -x -a ${quoted(takes.join(' '))}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`
