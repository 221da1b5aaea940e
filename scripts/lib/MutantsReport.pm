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

our @EXPORT = qw(caught_in report_begin report_row report_end report_summary);
my $FORMAT = "%-28s %-8s %-18s %-6s %-12s %5s  %s\n";
my $GOOD = qr/^(?:caught|equivalent)$/;
my $json = JSON::PP->new->canonical->pretty;
my ($top, $file, $settings, $commit, @rows);

# rows_of(FILE): by mutant
sub rows_of
{
	my ($of) = @_;
	my $report = eval { $json->decode(slurp($of)) } // {};

	return map { $_->{mutant} => $_ } @{$report->{rows} // []};
}

# caught_in(FILE): (NAME => 1) of the mutants that it calls caught, or equivalent
sub caught_in
{
	my ($of) = @_;
	my %rows = rows_of($of);

	return map { $_ => 1 } grep { $rows{$_}{verdict} =~ $GOOD } keys %rows;
}

# report_summary(FILE, MUTANT...): for each feature how many rules there are, and what became of
# their mutants
sub report_summary
{
	my ($of, @mutants) = @_;
	my %rows = rows_of($of);
	my @columns = ('caught', 'equivalent', 'survived', 'not run');
	my %known = map { $_ => 1 } @columns;
	my (%count, %rules);

	for my $mutant (@mutants) {
		my ($feature) = $mutant->{rules}[0] =~ /^([A-Z]+)/;
		my $verdict = $rows{$mutant->{name}}{verdict} // 'not run';

		$count{$feature}{$known{$verdict} ? $verdict : 'not run'}++;
		$rules{$feature}{$_} = 1 for grep { /^$feature/ } @{$mutant->{rules}};
	}
	my $row = sub { '| ' . join(' | ', @_) . " |\n" };
	return join '', $row->('rules', 'how many', 'mutants', @columns), $row->(('---') x 7),
		map {
			my $of = $count{$_};
			my $sum = 0;
			$sum += $_ for values %$of;
			$row->($_, scalar keys %{$rules{$_}}, $sum, map { $of->{$_} // 0 } @columns);
		} sort keys %count;
}

# report_begin(TOP, FILE, SETTINGS)
sub report_begin
{
	($top, $file, $settings) = @_;
	chomp($commit = `git -C '$top' describe --always --dirty --abbrev=12 2>/dev/null` || 'unknown');
	printf $FORMAT, qw(mutant rules test kernel verdict s by);
}

# Rows of mutants that weren't run now stay, with the commit at which they were.
sub write_report
{
	my %now = map { $_->{mutant} => 1 } @rows;
	my %there = map { $_->{name} => 1 } all_mutants($top);
	my %old = rows_of($file);
	my @all = (@rows, grep { !$now{$_->{mutant}} && $there{$_->{mutant}} } values %old);

	my ($version) = slurp("$top/dkms.conf") =~ /^PACKAGE_VERSION="(.*)"$/m;
	write_file($file, $json->encode({ commit => $commit, module_version => $version,
		settings => $settings,
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
	return !grep { !/$GOOD/ } keys %count;
}

1;
