import { expect, it } from 'vitest'
import { hollowed } from '../../../src/evidence/red-proof/hollow.ts'
import { withGrammars } from '../../../src/evidence/syntax/parse.ts'

const RUST = `pub struct Line;
impl Line {
    pub fn new() -> Self { Line }
    pub fn fields(&self) -> Vec<String> { vec![] }
}
fn old() -> u8 { 1 }
#[cfg(test)]
mod tests {
    use super::*;
    fn line() -> Line { Line::new() }
    #[test]
    fn reads() { assert_eq!(line().fields().len(), 0); }
}
#[test]
fn alone() { assert!(true); }
`
const before = 'fn old() -> u8 { 1 }\n'

it('functions of Rust panic; constructors, tests and what is only for tests stay', async () => {
  const change = { path: 'src/line.rs', wasThere: true, before, after: RUST }
  const found = await withGrammars(() => hollowed([change], [{ path: 'src/line.rs', text: before }]))
  expect(found).toEqual({
    files: [{ path: 'src/line.rs', text: RUST.replace('{ vec![] }', '{ panic!("emptied") }') }],
    names: new Set(['fields']),
  })
})
