/** A Python project that checks the check digits of ISBN-10 and ISBN-13. */

const TEN = `def is_isbn10(text):
    """Whether the text is an ISBN of ten digits with the right check digit."""
    digits = text.replace("-", "")
    if len(digits) != 10:
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
`

/** An X is only valid as the last digit, and other letters are invalid. */
const STRICT_TEN = `def is_isbn10(text):
    """Whether the text is an ISBN of ten digits with the right check digit."""
    digits = text.replace("-", "")
    if len(digits) != 10 or not all(digit in "0123456789" for digit in digits[:9]) or digits[9] not in "0123456789X":
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
`

const LENGTH = `def is_isbn10(text):
    """Whether the text is an ISBN of ten digits with the right check digit."""
    return len(text.replace("-", "")) == 10
`

const OPEN_13 = `

def is_isbn13(text):
    """Whether the text is an ISBN of thirteen digits with the right check digit."""
    return len(text.replace("-", "")) == 13
`

const THIRTEEN = `

def is_isbn13(text):
    """Whether the text is an ISBN of thirteen digits with the right check digit."""
    digits = text.replace("-", "")
    if len(digits) != 13 or not all(digit in "0123456789" for digit in digits):
        return False
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
`

const testFile = (names) => `import unittest

from isbn import is_isbn10, is_isbn13


class TestIsbn(unittest.TestCase):
    def test_${names[0]}(self):
        self.assertFalse(is_isbn10("12"))
        self.assertFalse(is_isbn13("12"))

    def test_${names[1]}(self):
        self.assertTrue(is_isbn10("0-306-40615-2"))
        self.assertFalse(is_isbn10("0-306-40615-3"))

    def test_${names[2]}(self):
        self.assertTrue(is_isbn13("978-0-306-40615-7"))
        self.assertFalse(is_isbn13("978-0-306-40615-8"))


if __name__ == "__main__":
    unittest.main()
`

const acceptance = `import unittest

from isbn import is_isbn10, is_isbn13


class Acceptance(unittest.TestCase):
    def test_ten(self):
        for text in ["0-306-40615-2", "080442957X"]:
            self.assertTrue(is_isbn10(text), text)
        for text in ["", "0306406153", "X804429570", "08044295Y7", "978-0-306-40615-7"]:
            self.assertFalse(is_isbn10(text), text)

    def test_thirteen(self):
        for text in ["978-0-306-40615-7", "9780804429573"]:
            self.assertTrue(is_isbn13(text), text)
        for text in ["", "978-0-306-40615-8", "978080442957X", "0-306-40615-2"]:
            self.assertFalse(is_isbn13(text), text)


if __name__ == "__main__":
    unittest.main()
`

export const withTests = (...names) => ({ 'test_isbn.py': testFile(names) })

export default {
  language: 'python',
  needs: ['python3'],
  test: 'python3 -m unittest',
  prompt: `# Numbers of books

\`isbn.py\` looks at the length alone. Make both functions ask for the right check digit; an X stands for ten, as the last digit of an ISBN-10
only. Any other text is refused with False. The tests run with \`python3 -m unittest\`.
`,
  files: {
    'isbn.py': LENGTH + OPEN_13,
    ...withTests('too_short', 'ten_digits', 'thirteen_digits'),
    'pyproject.toml': '[project]\nname = "isbn"\nversion = "1.0.0"\n',
    '.gitignore': '__pycache__/\n',
  },
  half: { 'isbn.py': TEN + OPEN_13 },
  green: { 'isbn.py': TEN + THIRTEEN },
  solved: { 'isbn.py': STRICT_TEN + THIRTEEN },
  hidden: { files: { 'acceptance.py': acceptance }, command: ['python3', 'acceptance.py'] },
}
