// A Go module that wraps lines at a width.

const source = (body) => `package wrap

import "strings"

// Wrap breaks a text into lines of at most width characters, between words.
func Wrap(text string, width int) []string {
${body}
}
`

const ACCEPTANCE = `package wrap

import (
	"fmt"
	"reflect"
	"testing"
)

func TestAcceptance(t *testing.T) {
	rows := []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"", 5, nil},
		{"abcdefgh ij", 4, []string{"abcdefgh", "ij"}},
		{"  a   b ", 9, []string{"a b"}},
	}
	for _, row := range rows {
		if got := Wrap(row.text, row.width); !reflect.DeepEqual(got, row.want) {
			t.Fatalf("%q: %q", row.text, got)
		}
	}
	fmt.Println("accepted")
}
`

export default {
  language: 'go',
  needs: ['go'],
  prompt:
    'Make Wrap in wrap.go break lines between words at the given width; a word that is longer stands alone, and no text gives no lines.',
  files: {
    'go.mod': 'module example.test/wrap\n\ngo 1.18\n',
    'wrap.go': source('\treturn strings.Fields(text)'),
    'wrap_test.go': `package wrap

import (
	"reflect"
	"testing"
)

func TestNothing(t *testing.T) {
	if got := Wrap("", 3); len(got) != 0 {
		t.Fatalf("got %q", got)
	}
}

func TestBreaksBetweenWords(t *testing.T) {
	if got := Wrap("one two three", 7); !reflect.DeepEqual(got, []string{"one two", "three"}) {
		t.Fatalf("got %q", got)
	}
}
`,
  },
  test: 'go test ./...',
  half: {
    'wrap.go': source('\tif len(text) <= width {\n\t\treturn []string{text}\n\t}\n\treturn strings.Fields(text)'),
  },
  solved: {
    'wrap.go': source(`	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines`),
  },
  hidden: {
    files: { 'acceptance_test.go': ACCEPTANCE },
    command: ['go', 'test', '-count=1', '-v', '-run', 'TestAcceptance', '.'],
    says: 'accepted',
  },
}
