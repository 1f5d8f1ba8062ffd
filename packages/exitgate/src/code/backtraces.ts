/** A call in a backtrace of Ruby, Java, C# or JavaScript: the line says where, and not what went wrong. */
export const isFrame = (line: string): boolean =>
  /^\s+from \S.*:\d+:in |^\s+at \S.*(?::\d+|[(:]line \d+|\([\w .]*\))\)?$|^\s*\.\.\. \d+ (?:levels|more)\b/.test(line)
