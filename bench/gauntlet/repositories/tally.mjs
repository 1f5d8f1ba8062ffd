// A Perl project that counts words; its tests run with prove.

const source = (body) => `package Tally;
use strict;
use warnings;

sub tally {
    my ($text) = @_;
${body}
}

1;
`

export default {
  language: 'perl',
  needs: ['perl', 'prove'],
  prompt: 'Make tally in lib/Tally.pm count words without regard to case, and leave signs out.',
  files: {
    'lib/Tally.pm': source('    my %seen;\n    $seen{$_}++ for split / /, $text;\n    return \\%seen;'),
    't/tally.t': `use strict;
use warnings;
use lib 'lib';
use Test::More tests => 2;
use Tally;

is(Tally::tally('tea bread tea')->{tea}, 2, 'words are counted');
is(Tally::tally('Tea, bread, tea!')->{tea}, 2, 'case and signs do not matter');
`,
  },
  test: 'prove -v t',
  args: ['--test', 'prove -v t'],
  half: { 'lib/Tally.pm': source('    my %seen;\n    $seen{lc $_}++ for split / /, $text;\n    return \\%seen;') },
  solved: { 'lib/Tally.pm': source('    my %seen;\n    $seen{lc $_}++ for $text =~ /\\w+/g;\n    return \\%seen;') },
  hidden: {
    files: {
      'acceptance.pl': `use lib 'lib';
use Tally;
my $seen = Tally::tally("One two, TWO; two\\nthree.");
die 'one' unless $seen->{one} == 1;
die 'two' unless $seen->{two} == 3;
die 'three' unless $seen->{three} == 1 && keys(%$seen) == 3;
die 'none' if %{ Tally::tally('...') };
print "accepted\\n";
`,
    },
    command: ['perl', 'acceptance.pl'],
    says: 'accepted',
  },
}
