/** Whether a skip condition is true on the machine that runs the checks: certainly, probably, or only on other machines. */
type ConditionScope = 'always' | 'here' | 'elsewhere'

const ENVIRONMENT =
  /process \. env|environ|getenv|\bENV\b|env ::|EnvironmentVariable|\bCI\b|Env \. |secret|\$_ENV|\$_SERVER/

/** What differs between two places where tests run, or from time to time. */
const OF_THE_PLACE = /exist|argv|host|time|date|Date|random|cwd|getcwd|path|Path|user|pid\b|tty|access|stat\b/

/** Whether a condition can be false here and true in the next run, so that running the test shows nothing. */
export const mayDiffer = (condition: string): boolean => ENVIRONMENT.test(condition) || OF_THE_PLACE.test(condition)

const WINDOWS = /win32|\bwin\b|windows|cygwin|msys|\bnt\b|msvc/i
const POSIX = /linux|darwin|\bmac|posix|\bunix\b|ubuntu|osx/i

const UNUSUAL_PLATFORM =
  /testing \. Short|browserName|isMobile|webkit|firefox|chromium|safari|\bmiri\b|wasm|emscripten|android|ios\b|\bdart\b|pypy|PyPy|jruby|truffleruby|hhvm|free_threaded|refleak|is_jython|\bcgo\b|\brace\b|arm64|aarch64|\bppc|s390x|big_endian|BigEndian|NETFRAMEWORK|NET\d|NETSTANDARD|NETCOREAPP|DEBUG|native|GraalVM|Jre|JRE|OS \.|node_version|process \. version|process \. versions|RUBY_VERSION|PHP_VERSION|PHP_OS|RUBY_PLATFORM|RUBY_ENGINE|go1\.\d+|target_pointer_width|target_arch|has_ipv6|HAVE_|has_\w+|requires_|extension_loaded|function_exists|class_exists|defined \?|hasFeature|[iI]s_?[aA]vailable|[aA]vailable|[sS]upported|[iI]nstalled|respond_to|supports?[A-Z_]|can_\w+|geteuid|getuid|root\b/

export function conditionScope(condition: string): ConditionScope {
  let text = condition.trim()
  let negated = false
  for (;;) {
    const inner =
      /^(?:not|!) ?\((.*)\)$/s.exec(text) ??
      /^(?:not|!) ?(?!=)([^&|]*)$/s.exec(text) ??
      (/^\((.*)\)$/s.exec(text) && balanced(text) ? /^\((.*)\)$/s.exec(text) : null)
    if (!inner) break
    if (!text.startsWith('(')) negated = !negated
    text = inner[1]!.trim()
  }
  if (/^(?:true|True|1|FALSE|ignore|never|any \( \))$/.test(text))
    return (text === 'true' || text === 'True' || text === '1') === !negated || /^(?:FALSE|ignore|never|any)/.test(text)
      ? 'always'
      : 'elsewhere'
  if (/^(?:false|False|0|nil|None|null|undefined)$/.test(text)) return negated ? 'always' : 'elsewhere'
  if (ENVIRONMENT.test(text)) return 'here'
  if (/^missing /.test(text)) return 'elsewhere'
  if (/ (?:!=|!==|is not|not in) /.test(text)) negated = !negated
  if (WINDOWS.test(text)) return negated ? 'here' : 'elsewhere'
  if (POSIX.test(text)) return negated ? 'elsewhere' : 'here'
  if (/version/i.test(text) && / (?:<|<=|>|>=|==) /.test(text))
    return / (?:<|<=) /.test(text) !== negated ? 'elsewhere' : 'here'
  // Tests are debug builds by default.
  if (/^(?:DEBUG|RELEASE)$/.test(text)) return (text === 'DEBUG') === negated ? 'elsewhere' : 'here'
  if (UNUSUAL_PLATFORM.test(text)) return 'elsewhere'
  return 'here'
}

/** The first bracket closes only at the end. */
function balanced(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i === text.length - 1
  }
  return false
}
