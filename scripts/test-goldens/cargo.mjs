const manifest = { 'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n' }
const library = {
  'src/lib.rs': `//! \`\`\`
//! assert_eq!(sums::add(1, 1), 2);
//! \`\`\`
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 2), 3);
    }

    #[test]
    #[ignore]
    fn divides() {}

    #[test]
    #[should_panic]
    fn panics() {
        panic!("as it should");
    }
}
`,
}
const green = { ...manifest, ...library, 'tests/whole.rs': '#[test]\nfn whole() {}\n' }

export default {
  name: 'cargo',
  needs: ['cargo'],
  run: 'cargo test --offline',
  cases: {
    passes: { files: green, expect: { passed: 4, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'tests/wrong.rs': '#[test]\nfn right() {}\n\n#[test]\nfn wrong() {\n    assert_eq!(1, 2);\n}\n',
      },
      run: 'cargo test --offline --no-fail-fast',
      expect: { passed: 5, failed: 1, skipped: 1, ok: false },
    },
    none: { files: { ...manifest, 'src/lib.rs': '' }, expect: { passed: 0, failed: 0, ok: null } },
    unbuilt: {
      files: { ...green, 'tests/broken.rs': '#[test]\nfn broken() {\n    not_there();\n}\n' },
      run: 'cargo test --offline --no-fail-fast',
      expect: { ok: false },
    },
    crashed: {
      files: { ...green, 'tests/aborts.rs': '#[test]\nfn aborts() {\n    std::process::abort();\n}\n' },
      run: 'cargo test --offline --no-fail-fast',
      expect: { ok: false },
    },
    exits: {
      files: {
        ...manifest,
        'src/lib.rs': '',
        'tests/exits.rs': '#[test]\nfn passes() {}\n\n#[test]\nfn then_exits() {\n    std::process::exit(0);\n}\n',
      },
      expect: { ok: null },
    },
  },
}
