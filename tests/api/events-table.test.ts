import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../source-tree.ts'

/** The members of a type in a source file: of the interface, or of every object in the union. */
function membersOf(file: string, name: string): readonly (readonly string[])[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const literals: (readonly string[])[] = []
  const declared = source.statements.find(
    (each): each is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each)) && each.name.text === name,
  )!
  const take = ({ members }: ts.InterfaceDeclaration | ts.TypeLiteralNode) =>
    literals.push(members.flatMap((member) => (ts.isPropertySignature(member) ? [member.getText(source)] : [])))
  if (ts.isInterfaceDeclaration(declared)) take(declared)
  else if (ts.isUnionTypeNode(declared.type)) declared.type.types.filter(ts.isTypeLiteralNode).forEach(take)
  return literals
}

const fieldOf = (text: string): string => /^readonly (\w+)/.exec(text)?.[1] ?? text
const codes = (cell = ''): readonly string[] => [...cell.matchAll(/`([\w-]+)`/g)].map(([, code = '']) => code)
const page = readFileSync(join(root, 'docs/library-events.md'), 'utf8')
const rowsOf = (heading: RegExp): readonly (readonly string[])[] =>
  (page.split(/^## /m).find((part) => heading.test(part)) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))

describe('the table of events', () => {
  it('has every event with its fields, and no other', () => {
    const expected = membersOf('src/core/loop-event.ts', 'LoopEvent').map((members) => [
      /type: '([\w-]+)'/.exec(members.join('\n'))?.[1],
      members.map(fieldOf).filter((field) => field !== 'type' && field !== 'at'),
    ])
    expect(expected.length).toBeGreaterThan(20)
    const documented = rowsOf(/^# Events/).map(([, type, , fields]) => [codes(type)[0], codes(fields)])
    expect(new Map(documented as [string, string[]][])).toEqual(new Map(expected as [string, string[]][]))
  })

  it('has every field of the end', () => {
    const [expected = []] = membersOf('src/core/run.ts', 'RunEnd')
    const documented = rowsOf(/^The end/).flatMap(([, fields]) => codes(fields))
    expect([...documented].sort()).toEqual(expected.map(fieldOf).sort())
  })
})
