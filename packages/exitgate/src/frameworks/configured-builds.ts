type Read = (path: string) => string | undefined

/** Values that a command line can repeat as they are, without paths of this machine. */
const PLAIN = /^[\w.,+-]+$/
const isOn = (value: string) => /^(?:1|on|yes|true|y)$/i.test(value)

/**
 * The command that configures a CMake folder, with the options that were set there. In a folder that is configured, it changes nothing.
 * A copy of the project without built files needs it.
 */
export function cmakeSetup(read: Read, lists: readonly string[], folder: string): string {
  const defaults = new Map<string, string>()
  for (const path of lists)
    for (const [, name, value = 'OFF'] of (read(path) ?? '').matchAll(
      /^\s*option\s*\(\s*(\w+)\s+(?:"[^"]*"|\w+)\s*(\w+)?\s*\)/gim,
    ))
      defaults.set(name!, value)
  const cache = read(`${folder}/CMakeCache.txt`) ?? ''
  const options = [...cache.matchAll(/^\/\/(.*)\n(\w+):[A-Z]+=(.*)$/gm)].flatMap(([, about, name = '', value = '']) => {
    const usual = defaults.get(name)
    const isSet =
      /No help, variable specified on the command line/.test(about!) ||
      name === 'CMAKE_BUILD_TYPE' ||
      (usual !== undefined && isOn(usual) !== isOn(value))
    return isSet && PLAIN.test(value) ? [` -D${name}=${value}`] : []
  })
  return `cmake -S . -B ${folder}${options.join('')}`
}

/** The same for Meson, which ignores the options of a folder that is configured. */
export function mesonSetup(read: Read, folder: string): string {
  const [, given = ''] = /\[options\]\n([^[]*)/.exec(read(`${folder}/meson-private/cmd_line.txt`) ?? '') ?? []
  const options = [...given.matchAll(/^(\w[\w.:-]*) = (.+)$/gm)].flatMap(([, name, value = '']) =>
    PLAIN.test(value) ? [` -D${name}=${value}`] : [],
  )
  return `meson setup ${folder}${options.join('')}`
}

/** The files of a project below a folder, read by their paths from there. */
export const readBelow =
  ({ read }: { readonly read: Read }, cwd: string): Read =>
  (path) =>
    read(cwd === '' ? path : `${cwd}/${path}`)
