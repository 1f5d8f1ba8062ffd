// A PHP project without a framework; its test script prints TAP.

const source = (body) => `<?php

function celsius(string $text): float
{
${body}
}
`

export default {
  language: 'php',
  needs: ['php'],
  prompt:
    'Let celsius in src/temperature.php read `20C` and `68F`, and throw an InvalidArgumentException for anything else.',
  files: {
    'src/temperature.php': source('    return (float) $text;'),
    'tests/run.php': `<?php

require __DIR__ . '/../src/temperature.php';

$tests = [
    'celsius' => fn () => celsius('20C') === 20.0,
    'fahrenheit' => fn () => celsius('68F') === 20.0,
    'something else' => function () {
        try {
            celsius('warm');
        } catch (InvalidArgumentException) {
            return true;
        }
        return false;
    },
];
echo "TAP version 13\\n1..", count($tests), "\\n";
$number = 0;
$failed = 0;
foreach ($tests as $name => $test) {
    $good = $test();
    $failed += $good ? 0 : 1;
    echo $good ? '' : 'not ', 'ok ', ++$number, " - $name\\n";
}
exit($failed > 0 ? 1 : 0);
`,
  },
  test: 'php tests/run.php',
  args: ['--test', 'php tests/run.php'],
  half: {
    'src/temperature.php': source(
      "    return str_ends_with($text, 'F') ? ((float) $text - 32) * 5 / 9 : (float) $text;",
    ),
  },
  solved: {
    'src/temperature.php': source(`    if (!preg_match('/^(-?\\d+(?:\\.\\d+)?)([CF])$/', $text, $found)) {
        throw new InvalidArgumentException("not a temperature: $text");
    }
    return $found[2] === 'C' ? (float) $found[1] : ((float) $found[1] - 32) * 5 / 9;`),
  },
  hidden: {
    files: {
      'acceptance.php': `<?php
require 'src/temperature.php';
if (celsius('-40F') !== -40.0 || celsius('1.5C') !== 1.5) exit(1);
foreach (['', '20', 'C', '20 C', '20K'] as $wrong) {
    try {
        celsius($wrong);
    } catch (InvalidArgumentException) {
        continue;
    }
    exit(2);
}
echo "accepted\\n";
`,
    },
    command: ['php', 'acceptance.php'],
    says: 'accepted',
  },
}
