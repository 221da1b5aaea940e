# SPDX-License-Identifier: GPL-2.0-only
#
# Many mutants in one guest: what scripts/lib/mutants-guest printed.
package MutantsGuest;
use strict;
use warnings;

use Exporter qw(import);
use Mutants;

our @EXPORT = qw(sections);

# sections(CODE, LINE...): by mutant, its exit code and its lines: { code => ..., lines => [...] }.
# CODE is that of scripts/vm/run. A mutant that doesn't come to its end has that.
sub sections
{
	my ($code, @lines) = @_;
	my (%by, $name);

	for (@lines) {
		s/\r$//;
		if (/^mutant begins: (\S+)$/) {
			$name = $1;
			$by{$name} = { code => undef, lines => [] };
		} elsif (/^mutant splat: (\S+)$/ && $by{$1}) {
			$by{$1}{splat} = 1;
		} elsif (/^mutant ends: (\S+) (\d+)$/ && $by{$1}) {
			$by{$1}{code} = $by{$1}{splat} ? 99 : $2;
			undef $name;
		} elsif (defined $name) {
			push @{$by{$name}{lines}}, $_;
		}
	}
	# The guest ended in it.
	$by{$name}{code} = $code || 98 if defined $name;
	return \%by;
}

1;
