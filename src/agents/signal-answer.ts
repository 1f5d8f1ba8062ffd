import { listIn, objectIn, textIn } from './json-value.ts'

/** How the tool says that it recorded nothing. It stands at the beginning: behind it anything may, also the agent's own words. */
const REFUSED = /^\W*(?:exit_signal\W+|error\W+)?(?:the signal was not recorded|input validation error)\b/i

/** Whether the answer of the `exit_signal` tool is a refusal in its own words or marks. Some hosts report such a one as a success. */
export function isRefusal(answer: unknown): boolean {
  const text = textIn(answer)
  if (text !== undefined) return REFUSED.test(text)
  const { is_error, isError, content } = objectIn(answer)
  return is_error === true || isError === true || listIn(content).some((part) => isRefusal(objectIn(part).text))
}
