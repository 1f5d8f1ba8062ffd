import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Calibration } from '../core/types.ts'
import { openPlain, removeFile, writeFileAtomic } from '../system/files.ts'

const FILE = 'calibration.json'
const MAX_BYTES = 256 * 1024

/** The calibration that `exitgate lab learn` stored for this workspace; undefined if there is none, or it is damaged. */
export function readCalibration(dir: string): Calibration | undefined {
  let fd: number
  try {
    fd = openPlain(join(dir, FILE), constants.O_RDONLY)
  } catch {
    return undefined
  }
  try {
    return fstatSync(fd).size > MAX_BYTES ? undefined : calibrationIn(JSON.parse(readFileSync(fd, 'utf8')))
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

/** For a new run: an object to spread into its options. */
export function calibrationFor(dir: string): { readonly calibration?: Calibration } {
  const calibration = readCalibration(dir)
  return calibration === undefined ? {} : { calibration }
}

/** Stores the calibration for future runs; undefined removes the stored one. */
export function keepCalibration(dir: string, calibration: Calibration | undefined): void {
  const path = join(dir, FILE)
  if (calibration === undefined) {
    removeFile(path)
    return
  }
  writeFileAtomic(path, `${JSON.stringify(calibration)}\n`)
}

function calibrationIn(value: unknown): Calibration | undefined {
  if (!isTable(value) || !isNumber(value.labels)) return undefined
  const { kind, labels, bias, weights, scores, shares } = value
  if (kind === 'logistic' && isNumber(bias) && isTable(weights)) {
    const numbers = Object.entries(weights).filter((entry): entry is [string, number] => isNumber(entry[1]))
    const allNumbers = numbers.length === Object.keys(weights).length
    return allNumbers ? { kind, labels, bias, weights: Object.fromEntries(numbers) } : undefined
  }
  if (kind === 'isotonic' && isNumbers(scores) && isNumbers(shares)) return { kind, labels, scores, shares }
  return undefined
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isNumber)
