import { LONG_PAGES } from './blocks.ts'
import { testPages } from './pages.ts'

testPages(LONG_PAGES[1])
