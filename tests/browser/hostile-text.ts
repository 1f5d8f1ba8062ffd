// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is what the agent prints, not a template of ours.
/** Text an agent could print to escape from the page, to hide in it or to break it, and what the page should show for it. */
export const HOSTILE: readonly (readonly [name: string, text: string, seen: string])[] = [
  ['a script', '</script><script>window.owned = 1</script>', '</script><script>window.owned = 1</script>'],
  ['a script in a comment', '<!--<script>window.owned = 1</script>-->', '<!--<script>window.owned = 1</script>-->'],
  ['a broken image', '<img src=x onerror="window.owned = 1">', '<img src=x onerror="window.owned = 1">'],
  ['a frame', '<iframe srcdoc="<script>parent.owned = 1</script>"></iframe>', '<iframe srcdoc='],
  ['a style', '<style>*{display:none}</style>', '<style>*{display:none}</style>'],
  ['a link', '<a href="javascript:window.owned = 1">x</a>', '<a href="javascript:window.owned = 1">x</a>'],
  ['a template', '${window.owned = 1} {{constructor.constructor("window.owned = 1")()}}', '${window.owned = 1}'],
  ['terminal colors', '\u001b[31mred\u001b[0m \u001b]0;title\u0007plain', 'red plain'],
  ['a right-to-left override', 'user\u202egnp.exe', 'user‹U+202E›gnp.exe'],
  ['NUL bytes', 'a\u0000b', 'a\u2400b'],
  ['unusual line separators', 'a\u2028b\u2029c', 'a‹U+2028›b‹U+2029›c'],
  ['zero-width spaces', 'pa\u200bss', 'pa‹U+200B›ss'],
  ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ['right-to-left text', 'العربية و עברית', 'العربية و עברית'],
]
