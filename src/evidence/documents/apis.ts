const VERSION = /^(?:openapi|swagger)\s*:\s*(['"]?)\d/m
const JSON_VERSION = /"(?:openapi|swagger)"\s*:\s*"\d/

export const mayBeApi = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)

/** Whether a text describes an API: `openapi` or `swagger` is its own, topmost word. */
export function isApi(path: string, text: string): boolean {
  const json = /^\s*\{/.test(text)
  if (!json) return !/\.json$/i.test(path) && VERSION.test(text)
  if (!JSON_VERSION.test(text)) return false
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value)
  } catch {
    // Broken JSON that begins like one was meant as one, and is then found to be broken.
    return /^\s*\{\s*"(?:openapi|swagger)"/.test(text)
  }
}
