import { toJsonSchema } from '@valibot/to-json-schema'
import { BASE } from '../../src/config/defaults.ts'
import { leaves } from '../../src/config/leaves.ts'
import { valueAt } from '../../src/config/merge.ts'
import { configSchema } from '../../src/config/schema.ts'

interface Described {
  title?: string
  description?: string
  default?: unknown
}

/** The JSON schema for editors: the one exitgate validates with, plus a title, a sentence and the default of every value. */
export function jsonSchema(): object {
  const { config, taskPatch } = configSchema()
  const made = toJsonSchema(config, { definitions: { taskType: taskPatch }, ignoreActions: ['finite'] })
  const { $schema, ...rest } = structuredClone(made) as object as { $schema: string }
  for (const { path, about } of leaves().values()) {
    const place = valueAt(rest, `properties.${path.replaceAll('.', '.properties.')}`) as Described
    place.title = path
    // A nullable value becomes `anyOf`. The description belongs to the whole, not to one alternative.
    place.description = about
    const byDefault = valueAt(BASE, path)
    if (byDefault !== undefined) place.default = byDefault
  }
  return { $schema, title: 'exitgate configuration', ...rest }
}
