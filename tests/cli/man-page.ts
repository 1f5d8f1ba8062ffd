/** A command as the manual tells of it. */
export interface ManCommand {
  readonly name: string
  readonly usage: readonly string[]
  readonly about: string
  readonly rows: readonly (readonly [names: string, text: string])[]
  readonly more?: string
  readonly examples: readonly string[]
}

export interface Manual {
  readonly about: string
  readonly commands: readonly ManCommand[]
  /** What the numbers mean with which the program ends. */
  readonly codes: readonly (readonly [code: string, text: string])[]
  readonly environment: readonly (readonly [name: string, text: string])[]
  readonly files: readonly (readonly [path: string, text: string])[]
}

/** The manual page, in the macros that every `man` knows. */
export function manPage({ about, commands, codes, environment, files }: Manual): string {
  return [
    '.TH EXITGATE 1 "" exitgate "User Commands"',
    '.SH NAME',
    `exitgate \\- ${escaped(about)}`,
    '.SH SYNOPSIS',
    '.B exitgate',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...listed(codes),
    '.SH ENVIRONMENT',
    ...listed(environment),
    '.SH FILES',
    ...listed(files),
    '',
  ].join('\n')
}

function commandLines({ usage, name, about, rows, more, examples }: ManCommand): readonly string[] {
  return [
    `.SS ${escaped(name)}`,
    ...verbatim(usage),
    '.PP',
    escaped(about),
    ...listed(rows),
    ...(more === undefined ? [] : ['.PP', escaped(more)]),
    ...(examples.length === 0 ? [] : ['.PP', 'Examples:', '.PP', ...verbatim(examples)]),
  ]
}

const listed = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  rows.flatMap(([names, text]) => ['.TP', `.B ${escaped(names)}`, text === '' ? '\\&' : escaped(text)])

const verbatim = (lines: readonly string[]): readonly string[] => ['.nf', ...lines.map(escaped), '.fi']

/** A dot or a quote at the beginning of a line would be an order, and a hyphen a sign of another length. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^\./, '\\&.')
