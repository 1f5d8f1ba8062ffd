import { flattenIni, flattenProperties } from './ini.ts'
import { flattenObjects } from './objects.ts'
import { flattenToml } from './toml.ts'
import { flattenXml } from './xml.ts'
import { flattenYaml } from './yaml.ts'

/** One value of a settings file, with the way to it. Items of a list carry their place as the last part. */
export interface Setting {
  readonly key: string
  readonly value: string
  readonly line: number
}

const FORMATS: readonly [RegExp, (text: string) => Setting[]][] = [
  [/\.(?:jsonc?|json5|[cm]?[jt]s)$|(?:^|\/)\.(?:nycrc|c8rc|mocharc|swcrc|babelrc)$/, flattenObjects],
  [/\.toml$/, flattenToml],
  [/\.(?:ini|cfg|coveragerc)$|(?:^|\/)\.coveragerc$/, flattenIni],
  [/\.(?:xml|xml\.dist|csproj|props|runsettings|dist)$/, flattenXml],
  [/\.ya?ml$|(?:^|\/)\.taprc$/, flattenYaml],
  [/\.properties$|(?:^|\/)(?:\.npmrc|\.env[\w.]*)$/, flattenProperties],
]

/** Every value of a settings file whose form we know; nothing for other files. Never throws. */
export function flatten(path: string, text: string): Setting[] {
  return FORMATS.find(([pattern]) => pattern.test(path))?.[1](text) ?? []
}
