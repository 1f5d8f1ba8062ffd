import { type Checklist, type ChecklistOptions, readChecklist, readStories } from '../checks/checklist.ts'

/** The plan that a text holds: stories in JSON, boxes in anything else; a sentence when there is none. */
export function planOf(path: string, text: string, options: ChecklistOptions = {}): Checklist | string {
  if (text.trim() === '') return `The plan ${path} is empty.`
  if (!/\.json$/i.test(path)) return readChecklist(text, options)
  try {
    return readStories(JSON.parse(text)) ?? `The plan ${path} holds no list of stories.`
  } catch (error) {
    return `The plan ${path} is not valid JSON: ${(error as Error).message}.`
  }
}
