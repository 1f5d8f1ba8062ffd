// A Python project with unittest that turns titles into slugs.

const source = (body) => `import re


def slug(title):
    """The title as it stands in an address."""
${body}
`

const ACCEPTANCE = `from slug import slug

for title, expected in [("Hello World", "hello-world"), ("  Tea & Bread ", "tea-bread"), ("a--b", "a-b"), ("2 + 2", "2-2")]:
    assert slug(title) == expected, (title, slug(title))
for wrong in ["", " & "]:
    try:
        slug(wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
print("accepted")
`

export default {
  language: 'python',
  needs: ['python3'],
  prompt:
    'Make `slug` in slug.py join words by one hyphen, drop other signs, and raise a ValueError when nothing is left.',
  files: {
    'slug.py': source("    return title.lower().replace(' ', '-')"),
    'tests/__init__.py': '',
    'tests/test_slug.py': `import unittest

from slug import slug


class SlugTest(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slug("Hello World"), "hello-world")

    def test_other_signs_are_dropped(self):
        self.assertEqual(slug("Tea & Bread"), "tea-bread")

    def test_nothing_left_is_refused(self):
        with self.assertRaises(ValueError):
            slug(" & ")


if __name__ == "__main__":
    unittest.main()
`,
  },
  test: 'python3 -m unittest',
  half: { 'slug.py': source("    return re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')") },
  solved: {
    'slug.py': source(`    found = re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')
    if found == '':
        raise ValueError('nothing is left of ' + repr(title))
    return found`),
  },
  hidden: { files: { 'acceptance.py': ACCEPTANCE }, command: ['python3', 'acceptance.py'], says: 'accepted' },
}
