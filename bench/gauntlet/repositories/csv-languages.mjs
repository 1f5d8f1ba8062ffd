// Small projects that read CSV, in other languages. Their tests pass at the start; the task is to read fields in quotes, with tests.

const prompt = (what) =>
  `Quoted fields, with tests: ${what} reads fields in double quotes. They can contain commas, and two quotes stand for one.`

const PYTHON = `def parse(text):
    """The fields of each line that is not empty."""
    return [line.split(",") for line in text.split("\\n") if line]
`
const PYTHON_QUOTED = `def parse(text):
    """The fields of each line that is not empty. A field in quotes can contain commas and quotes."""
    return [fields(line) for line in text.split("\\n") if line]


def fields(line):
    found, inside, at = [""], False, 0
    while at < len(line):
        if inside and line[at : at + 2] == '""':
            found[-1] += '"'
            at += 1
        elif line[at] == '"':
            inside = not inside
        elif line[at] == "," and not inside:
            found.append("")
        else:
            found[-1] += line[at]
        at += 1
    return found
`
export const python = {
  language: 'python',
  needs: ['python3'],
  prompt: prompt('`parse` in table.py'),
  test: 'python3 -m unittest',
  files: {
    '.gitignore': '__pycache__/\n',
    'pyproject.toml': '[project]\nname = "table"\nversion = "1.0.0"\n',
    'table.py': PYTHON,
    'test_table.py': `import unittest

from table import parse


class TestTable(unittest.TestCase):
    def test_fields(self):
        self.assertEqual(parse("a,b\\nc, d"), [["a", "b"], ["c", " d"]])

    def test_empty_lines(self):
        self.assertEqual(len(parse("a\\n\\nb")), 2)
`,
  },
  /** Loses spaces. */
  wrong: { 'table.py': PYTHON.replace('line.split(",")', `[field.strip(' "') for field in line.split(",")]`) },
  solved: {
    'table.py': PYTHON_QUOTED,
    'test_quoted.py': `import unittest

from table import parse


class TestQuoted(unittest.TestCase):
    def test_commas_and_quotes(self):
        self.assertEqual(parse('1,"a, b"'), [["1", "a, b"]])
        self.assertEqual(parse('"say ""no"""'), [['say "no"']])
`,
  },
  hidden: {
    files: {
      'acceptance.py': `from table import parse

assert parse("a,b\\n\\nc, d") == [["a", "b"], ["c", " d"]]
assert parse('1,"a, b",3') == [["1", "a, b", "3"]]
assert parse('"say ""no""",') == [['say "no"', ""]]
print("accepted")
`,
    },
    command: ['python3', 'acceptance.py'],
    says: 'accepted',
  },
}

const perlSource = (fields) => `package Table;
use strict;
use warnings;

sub parse {
    my ($text) = @_;
    return [ map { fields($_) } grep { $_ ne '' } split /\\n/, $text ];
}

sub fields {
    my ($line) = @_;
${fields}
}

1;
`
const perlTests = (head, body) => `use strict;
use warnings;
use lib 'lib';
${head};
use Table;

${body}`
export const perl = {
  language: 'perl',
  needs: ['perl', 'prove'],
  prompt: prompt('`parse` in lib/Table.pm'),
  test: 'prove -v t',
  args: ['--test', 'prove -v t'],
  files: {
    'lib/Table.pm': perlSource('    return [ split /,/, $line, -1 ];'),
    't/table.t': perlTests(
      'use Test::More tests => 2',
      `is_deeply(Table::parse("a,b\\nc, d"), [ [ 'a', 'b' ], [ 'c', ' d' ] ], 'fields are read');
is(scalar @{ Table::parse("a\\n\\nb") }, 2, 'empty lines are left out');
`,
    ),
  },
  tests: perlTests,
  /** Loses spaces. */
  wrong: { 'lib/Table.pm': perlSource('    return [ map { s/^[ "]+|[ "]+$//gr } split /,/, $line, -1 ];') },
  solved: {
    'lib/Table.pm': perlSource(`    my @fields = ('');
    while ($line =~ /\\G(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/g) {
        my ($quoted, $plain, $end) = ($1, $2, $3);
        $quoted =~ s/""/"/g if defined $quoted;
        $fields[-1] = $quoted // $plain;
        last if $end eq '';
        push @fields, '';
    }
    return \\@fields;`),
    't/quoted.t': perlTests(
      'use Test::More tests => 2',
      `is_deeply(Table::parse('1,"a, b"'), [ [ '1', 'a, b' ] ], 'a comma in quotes');
is_deeply(Table::parse('"say ""no""",2'), [ [ 'say "no"', '2' ] ], 'quotes in quotes');
`,
    ),
  },
  hidden: {
    files: {
      'acceptance.pl': `use lib 'lib';
use Table;
sub same { my ($text, @want) = @_; die $text unless join('|', @{ Table::parse($text)->[0] }) eq join('|', @want) }
same('a, b', 'a', ' b');
same('1,"a, b",3', '1', 'a, b', '3');
same('"say ""no""",x', 'say "no"', 'x');
print "accepted\\n";
`,
    },
    command: ['perl', 'acceptance.pl'],
    says: 'accepted',
  },
}

const rustSource = (...parts) => `${parts.join('\n')}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        assert_eq!(parse("a,b\\nc, d"), [vec!["a", "b"], vec!["c", " d"]]);
    }

    #[test]
    fn empty_lines_are_left_out() {
        assert_eq!(parse("a\\n\\nb").len(), 2);
    }
}
`
const RUST_PARSE = (fields) => `/// The fields of each line that is not empty.
pub fn parse(text: &str) -> Vec<Vec<String>> {
    text.split('\\n').filter(|line| !line.is_empty()).map(${fields}).collect()
}
`
const RUST_FIELDS = `/// The fields of a line. A field in quotes can contain commas and quotes.
pub fn fields(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut inside = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        if inside && char == '"' && chars.peek() == Some(&'"') {
            chars.next();
            found.last_mut().unwrap().push('"');
        } else if char == '"' {
            inside = !inside;
        } else if char == ',' && !inside {
            found.push(String::new());
        } else {
            found.last_mut().unwrap().push(char);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotes() {
        assert_eq!(fields("1,\\"a, b\\""), ["1", "a, b"]);
    }

    #[test]
    fn quotes_in_quotes() {
        assert_eq!(fields("\\"say \\"\\"no\\"\\"\\",2"), ["say \\"no\\"", "2"]);
    }
}
`
export const rust = {
  language: 'rust',
  needs: ['cargo'],
  prompt: prompt('`parse` in src/lib.rs'),
  test: 'cargo test',
  files: {
    '.gitignore': 'target/\n',
    'Cargo.toml': '[package]\nname = "table"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock':
      '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = "table"\nversion = "0.1.0"\n',
    'src/lib.rs': rustSource(RUST_PARSE("|line| line.split(',').map(String::from).collect()")),
  },
  solved: {
    'src/lib.rs': rustSource('mod quoted;\n', RUST_PARSE('quoted::fields')),
    'src/quoted.rs': RUST_FIELDS,
  },
  hidden: {
    files: {
      'tests/acceptance.rs': `#[test]
fn acceptance() {
    assert_eq!(table::parse("a, b"), [vec!["a", " b"]]);
    assert_eq!(table::parse("1,\\"a, b\\",3"), [vec!["1", "a, b", "3"]]);
    assert_eq!(table::parse("\\"say \\"\\"no\\"\\"\\""), [vec!["say \\"no\\""]]);
    println!("accepted");
}
`,
    },
    command: ['cargo', 'test', '--offline', '-q', '--test', 'acceptance', '--', '--nocapture'],
    says: 'accepted',
  },
}

const goSource = (fields) => `// Package table reads CSV.
package table

import "strings"

// Parse gives the fields of each line that is not empty.
func Parse(text string) [][]string {
	var rows [][]string
	for _, line := range strings.Split(text, "\\n") {
		if line != "" {
			rows = append(rows, ${fields})
		}
	}
	return rows
}
`
const goTests = (tests) => `package table

import (
	"reflect"
	"testing"
)

func same(t *testing.T, text string, want ...string) {
	t.Helper()
	if got := Parse(text)[0]; !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: %q", text, got)
	}
}
${tests}`
export const go = {
  language: 'go',
  needs: ['go'],
  prompt: prompt('`Parse` in table.go'),
  test: 'go test ./...',
  files: {
    'go.mod': 'module example.test/table\n\ngo 1.18\n',
    'table.go': goSource('strings.Split(line, ",")'),
    'table_test.go': goTests(`
func TestFields(t *testing.T) {
	same(t, "a, b", "a", " b")
}

func TestEmptyLines(t *testing.T) {
	if got := len(Parse("a\\n\\nb")); got != 2 {
		t.Fatalf("got %d", got)
	}
}
`),
  },
  solved: {
    'table.go': goSource('quoted.Fields(line)').replace(
      'import "strings"',
      'import (\n\t"strings"\n\n\t"example.test/table/quoted"\n)',
    ),
    'quoted/quoted.go': `// Package quoted reads one line.
package quoted

import "strings"

// Fields gives the fields of a line. A field in quotes can contain commas and quotes.
func Fields(line string) []string {
	var fields []string
	var field strings.Builder
	inside := false
	for at := 0; at < len(line); at++ {
		switch {
		case inside && strings.HasPrefix(line[at:], "\\"\\""):
			field.WriteByte('"')
			at++
		case line[at] == '"':
			inside = !inside
		case line[at] == ',' && !inside:
			fields = append(fields, field.String())
			field.Reset()
		default:
			field.WriteByte(line[at])
		}
	}
	return append(fields, field.String())
}
`,
    'quoted/quoted_test.go': `package quoted

import (
	"reflect"
	"testing"
)

func TestFields(t *testing.T) {
	rows := map[string][]string{
		"1,\\"a, b\\"":            {"1", "a, b"},
		"\\"say \\"\\"no\\"\\"\\",2": {"say \\"no\\"", "2"},
	}
	for line, want := range rows {
		if got := Fields(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q", line, got)
		}
	}
}
`,
  },
  hidden: {
    files: {
      'acceptance_test.go': goTests(`
func TestAcceptance(t *testing.T) {
	same(t, "a, b", "a", " b")
	same(t, "1,\\"a, b\\",3", "1", "a, b", "3")
	same(t, "\\"say \\"\\"no\\"\\"\\",", "say \\"no\\"", "")
	t.Log("accepted")
}
`)
        .replace('func same', 'func agrees')
        .replaceAll('\tsame(t', '\tagrees(t'),
    },
    command: ['go', 'test', '-count=1', '-v', '-run', 'TestAcceptance', '.'],
    says: 'accepted',
  },
}

const luaSource = (fields) => `local table_reader = {}

function table_reader.fields(line)
  local found = {}
${fields}
  return found
end

return table_reader
`
export const lua = {
  language: 'lua',
  needs: ['busted', 'lua'],
  prompt: prompt('`fields` in table_reader.lua'),
  test: 'busted',
  args: ['--test', 'busted'],
  files: {
    'table_reader.lua': luaSource('  for field in (line .. ","):gmatch("(.-),") do found[#found + 1] = field end'),
    'spec/table_reader_spec.lua': `local table_reader = require('table_reader')

describe('fields', function()
  it('are read', function()
    assert.are.same({ 'a', 'b' }, table_reader.fields('a,b'))
  end)

  it('keep their spaces', function()
    assert.are.same({ 'a', ' b' }, table_reader.fields('a, b'))
  end)
end)
`,
  },
  /** Loses spaces. */
  wrong: {
    'table_reader.lua': luaSource(
      `  for field in (line .. ","):gmatch('[ "]*(.-)[ "]*,') do found[#found + 1] = field end`,
    ),
  },
  solved: {
    'table_reader.lua': luaSource(`  local at = 1
  while at <= #line + 1 do
    local from, to, quoted = line:find('^"([^"]*)"', at)
    local field = quoted
    while to and line:sub(to + 1, to + 1) == '"' do
      local _, rest, more = line:find('^"([^"]*)"', to + 1)
      field, to = field .. '"' .. more, rest
    end
    if not from then
      from, to, field = line:find('^([^,]*)', at)
    end
    found[#found + 1] = field
    at = to + 2
  end`),
    'spec/quoted_spec.lua': `local table_reader = require('table_reader')

describe('fields in quotes', function()
  it('can contain commas', function()
    assert.are.same({ '1', 'a, b' }, table_reader.fields('1,"a, b"'))
  end)

  it('can contain quotes', function()
    assert.are.same({ 'say "no"', '2' }, table_reader.fields('"say ""no""",2'))
  end)
end)
`,
  },
  hidden: {
    files: {
      'acceptance.lua': `local reader = require('table_reader')
local function same(line, want)
  assert(table.concat(reader.fields(line), '|') == want, line)
end
same('a, b', 'a| b')
same('1,"a, b",3', '1|a, b|3')
same('"say ""no""",2', 'say "no"|2')
print('accepted')
`,
    },
    command: ['lua', 'acceptance.lua'],
    says: 'accepted',
  },
}
