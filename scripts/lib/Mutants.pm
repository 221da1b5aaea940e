# SPDX-License-Identifier: GPL-2.0-only
#
# Mutants (tests/mutants/*.diff): reading them, and what a test's output says about one.
# scripts/mutants says what they are.
package Mutants;
use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(all_mutants read_mutant mutant_wrong test_facts verdict is_caught);

# Of a header. Those with 1 must be there.
my %KEYS = (Rule => 1, Breaks => 1, Test => 1, Kernel => 0, Args => 0, Check => 0,
	Equivalent => 0);
# More lines than that aren't one wrong idea.
my $LINES_MAX = 24;
# The check of 00-unit that isn't one of the module.
my $UNIT_BUILD = 'the unit tests build';
# Exit codes of scripts/vm/run.
my ($CRASHED, $SPLAT, $TIMEOUT, $NO_GUEST) = (98, 99, 124, 125);

# read_mutant(FILE): its header by key, with rules, name, file, diff; what can't be read is
# in unread.
sub read_mutant
{
	my ($file) = @_;
	my %mutant = (file => $file, name => $file =~ s/.*\///r =~ s/\.diff$//r,
		unread => [], rules => [], diff => '');

	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>) {
		chomp;
		last if $_ eq '';
		next if /^#/;
		if (/^([A-Z][a-z]+): +(\S.*?) *$/ && exists $KEYS{$1} && !defined $mutant{$1}) {
			$mutant{$1} = $2;
		} else {
			push @{$mutant{unread}}, $_;
		}
	}
	$mutant{diff} .= $_ while <$in>;
	close $in;
	$mutant{rules} = [split /, */, $mutant{Rule} // ''];
	return \%mutant;
}

# all_mutants(TOP): each mutant of a tree, by rule
sub all_mutants
{
	my ($top) = @_;

	return sort { key($a) cmp key($b) } map { read_mutant($_) } glob "$top/tests/mutants/*.diff";
}

sub key
{
	return $_[0]{name} =~ s/^([a-z])(\d+)/sprintf '%s%03d', $1, $2/er;
}

# test_facts(TOP, TEST...): by test, where it is run, "guest" or "host", the file that it is
# in, and the first kernel that its header names. A test that isn't there has none.
sub test_facts
{
	my ($top, @tests) = @_;
	my %facts = (build => { where => 'build', kernel => '6.1' });

	open my $in, '-|', 'bash', '-c', <<'SHELL', $top, @tests or die "bash: $!\n";
cd "$0" || exit
. scripts/lib/common.sh
. tests/lib/header.sh
unset KERNEL
for test; do
	file=tests/t/$test.t where=host
	[ -e "$file" ] || continue
	[ ! -L "$file" ] || where=guest
	guest_kernel "$file"
	# Some tests build the module in their guest.
	! grep -q dkms "$HEADER_FILE" || HEADER[variant]=own
	options=,
	for key in cpus cpu mem slow-mb swap-mb threads append; do
		options+="$key=${HEADER[$key]-},"
		options=${options// /_}
	done
	echo "$test $where $REPLY $HEADER_FILE ${HEADER[variant]-none} ${HEADER[args]-} $options"
done
SHELL
	while (<$in>) {
		my ($test, $where, $kernel, $file, $variant, @rest) = split;
		# What makes its guest, and its arguments.
		my $options = pop @rest;
		$facts{$test} = { where => $where, kernel => $kernel, file => $file =~ s/.*\///r,
			variant => $variant, options => $options, args => "@rest" };
	}
	close $in;
	return \%facts;
}

# Files that a diff changes, and how many lines.
sub changes
{
	my @lines = split /\n/, $_[0];
	my @files = map { m{^(?:---|\+\+\+) [ab]/(\S+)} } @lines;
	my %files = map { $_ => 1 } @files;

	return (scalar(grep { /^[-+](?![-+]{2} )/ } @lines), sort keys %files);
}

# mutant_wrong(MUTANT, FACTS, KERNELS, RULES): what is wrong with its header and its diff.
# KERNELS and RULES have what there is as keys.
sub mutant_wrong
{
	my ($mutant, $facts, $kernels, $rules) = @_;
	my @wrong = map { "no header: $_" } @{$mutant->{unread}};
	my ($lines, @files) = changes($mutant->{diff});
	my $fact = $facts->{$mutant->{Test} // ''};
	my ($first) = map { lc } @{$mutant->{rules}}, '-';

	push @wrong, map { "no $_" } grep { $KEYS{$_} && !defined $mutant->{$_} } sort keys %KEYS;
	push @wrong, map { "$_ is no rule" } grep { !exists $rules->{$_} } @{$mutant->{rules}};
	push @wrong, "its name doesn't begin with $first-" if $mutant->{name} !~ /^$first-[a-z0-9-]+$/;
	push @wrong, "no test $mutant->{Test}" if defined $mutant->{Test} && !$fact;
	push @wrong, "no kernel $mutant->{Kernel}" if defined $mutant->{Kernel} &&
		!$kernels->{$mutant->{Kernel}};
	push @wrong, 'a test on the host has no kernel' if $fact && $fact->{where} eq 'host' &&
		defined $mutant->{Kernel};
	push @wrong, 'a build needs a Check' if $fact && $fact->{where} eq 'build' &&
		!defined $mutant->{Check};
	push @wrong, "Check is no regex: $mutant->{Check}" if defined $mutant->{Check} &&
		!eval { qr/$mutant->{Check}/ };
	push @wrong, 'changes nothing' if !$lines;
	push @wrong, "changes $lines lines" if $lines > $LINES_MAX;
	push @wrong, map { "changes $_" } grep { !m{^(?:module|include)/} || m{^module/debug/} } @files;
	return @wrong;
}

# What failed, by a test's exit code and its lines. Failures that tell nothing by themselves
# come second. A test of tests shows the checks of those that failed as comments.
sub failures
{
	my ($code, @lines) = @_;
	my @failed = map { /^not ok \d+(?: - )?(.*)/ } @lines;
	my @vague = map { /^(Bail out!.*)/ } @lines;

	push @failed, map { /^# +not ok \d+(?: - )?(.*)/ } @lines if @failed;

	push @failed, 'splat' if $code == $CRASHED || $code == $SPLAT;
	push @vague, 'timeout' if $code == $TIMEOUT;
	push @vague, "exit code $code" if $code && !@failed && !@vague;
	return (\@failed, \@vague);
}

# is_caught(CHECK, LINE...): does one of a running test's lines say that it has caught a mutant?
sub is_caught
{
	my ($check, @lines) = @_;
	my ($failed) = failures(0, @lines);

	return defined $check && grep { /$check/ } @$failed;
}

# A build has no checks: its messages are the failures.
sub build_verdict
{
	my ($check, $code, @lines) = @_;
	my ($line) = grep { /$check/ } @lines;

	return ('survived', '') if !$code;
	return defined $line ? ('caught', $line) : ('broken', 'does not build');
}

# verdict(WHERE, CHECK, CODE, LINE...): what a test says of a mutant: (VERDICT, BY). WHERE is
# test_facts', CODE is the test's exit code, the LINEs are its output. CHECK is a regex, or
# undef.
#
#   caught         BY is the check: the first failure that matches CHECK
#   wrong reason   something failed, but nothing that matches CHECK
#   survived       nothing failed
#   broken         it isn't known: no guest, no build, no checks
sub verdict
{
	my ($where, $check, $code, @lines) = @_;

	s/\r$// for @lines;
	return build_verdict($check, $code, @lines) if $where eq 'build';
	return ('broken', 'no guest, or no module') if $where eq 'guest' && $code == $NO_GUEST;
	my ($failed, $vague) = failures($code, @lines);
	return ('broken', 'does not build') if grep { $_ eq $UNIT_BUILD } @$failed;
	my @all = (@$failed, @$vague);
	if (!@all) {
		my ($skipped) = map { /^1\.\.0 # SKIP (.*)/ } @lines;
		return ('broken', "skipped: $skipped") if defined $skipped;
		return ('broken', 'no checks') if !grep { /^ok \d+/ } @lines;
		return ('survived', '');
	}
	my ($by) = defined $check ? grep({ /$check/ } @all) : @$failed;
	return defined $by ? ('caught', $by) : ('wrong reason', $all[0]);
}

1;
