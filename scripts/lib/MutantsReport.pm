# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/mutants tells: a line for each mutant, and results/mutants.json.
package MutantsReport;
use strict;
use warnings;
use Exporter qw(import);
use JSON::PP ();

use Mutants;
use MutantsRun;

our @EXPORT = qw(report_begin report_row report_end);
my $FORMAT = "%-28s %-8s %-18s %-6s %-12s %5s  %s\n";
my $json = JSON::PP->new->canonical->pretty;
my ($top, $file, $commit, @rows);

# report_begin(TOP, FILE)
sub report_begin
{
	($top, $file) = @_;
	chomp($commit = `git -C '$top' describe --always --dirty --abbrev=12 2>/dev/null` || 'unknown');
	printf $FORMAT, qw(mutant rules test kernel verdict s by);
}

# Rows of mutants that weren't run now stay, with the commit at which they were.
sub write_report
{
	my %now = map { $_->{mutant} => 1 } @rows;
	my %there = map { $_->{name} => 1 } all_mutants($top);
	my $old = eval { $json->decode(slurp($file)) } // {};
	my @all = (@rows, grep { !$now{$_->{mutant}} && $there{$_->{mutant}} } @{$old->{rows} // []});

	write_file($file, $json->encode({ commit => $commit,
		rows => [sort { $a->{mutant} cmp $b->{mutant} } @all] }));
}

# report_row(ROW)
sub report_row
{
	my ($row) = @_;

	push @rows, { %$row, commit => $commit };
	printf $FORMAT, $row->{mutant}, join(',', @{$row->{rules}}), $row->{test}, $row->{kernel} || '-',
		$row->{verdict}, $row->{seconds}, $row->{by};
	write_report();
}

# report_end(): true if all are well
sub report_end
{
	my %count;

	$count{$_->{verdict}}++ for @rows;
	print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
	return !grep { !/^(?:caught|equivalent)$/ } keys %count;
}

1;
