# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for tests in Perl; they end with finish().
package Tap;
use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(ok skip skip_all diag finish);
my ($nr, $failed) = (0, 0);

# Prints text as comments.
sub diag { print map { "# $_\n" } map { split /\n/ } @_ }

# ok(GOOD, NAME, WHY...): WHY is shown if the result isn't good. The prototype gives GOOD
# scalar context, so that a match that fails is false and not missing.
sub ok($$@)
{
	my ($good, $name, @why) = @_;

	$nr++;
	$failed++ unless $good;
	print $good ? '' : 'not ', "ok $nr - $name\n";
	diag(@why) unless $good;
	return $good;
}

# skip(NAME, REASON)
sub skip { $nr++; print "ok $nr - $_[0] # SKIP $_[1]\n" }

# skip_all(REASON): skip the whole test; call it before any result.
sub skip_all { print "1..0 # SKIP $_[0]\n"; exit 0 }

# The plan is printed at the end: a test that dies half-way has none, and fails.
sub finish { print "1..$nr\n"; exit($failed ? 1 : 0) }

1;
