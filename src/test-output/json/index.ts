import type { JsonReader } from '../types.ts'
import { ctrf } from './ctrf.ts'
import { jestJson } from './jest.ts'
import { mochaJson } from './mocha.ts'
import { playwrightJson } from './playwright.ts'
import { pytestJson } from './pytest.ts'
import { rspecJson } from './rspec.ts'

export const jsonReaders: readonly JsonReader[] = [jestJson, playwrightJson, ctrf, rspecJson, pytestJson, mochaJson]
