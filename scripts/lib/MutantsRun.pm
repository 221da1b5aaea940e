# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/mutants needs of files and processes.
package MutantsRun;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use JSON::PP ();
use POSIX qw(WNOHANG);

use Mutants;

our @EXPORT = qw(note slurp write_file in_dir in_parallel copy_of);
my $LIMIT_S = 7200;

sub note { print STDERR "mutants: @_\n" }
sub slurp { my ($file) = @_; local $/; open my $in, '<', $file or return ''; return scalar <$in> }

sub write_file
{
	my ($file, $text) = @_;

	make_path(dirname($file));
	open my $out, '>', "$file.new" or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
	rename "$file.new", $file or die "$file: $!\n";
}

# in_dir(DIR, LOG, ENV, COMMAND...): run it, its output to LOG; its exit code. With CHECK in
# ENV it is ended as soon as a check that fails matches.
sub in_dir
{
	my ($dir, $log, $env, @command) = @_;
	my $check = delete $env->{CHECK};
	my $pid = fork // die "fork: $!\n";

	if (!$pid) {
		# The copy's own, not those of this checkout.
		delete @ENV{qw(TLBBATCH_TOP TLBBATCH_CACHE TLBBATCH_RESULTS FULL KERNEL ARGS)};
		@ENV{keys %$env} = values %$env;
		chdir $dir or die "$dir: $!\n";
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', $log or die "$log: $!\n";
		open STDERR, '>&', \*STDOUT;
		exec 'timeout', $LIMIT_S, @command or die "$command[0]: $!\n";
	}
	# timeout hands it on, to a guest in the end.
	local @SIG{qw(TERM INT HUP)} = (sub { kill 'TERM', $pid; exit 143 }) x 3;
	while (defined $check && waitpid($pid, WNOHANG) == 0) {
		sleep 1;
		next if !is_caught($check, split /\n/, slurp($log));
		kill 'TERM', $pid;
		undef $check;
	}
	waitpid $pid, 0 if kill 0, $pid;
	return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# in_parallel(JOBS, WORK, DONE, ITEM...): WORK(ITEM) in processes of their own; DONE(ITEM, RESULT)
# as each ends
sub in_parallel
{
	my ($jobs, $work, $done, @items) = @_;
	my $results = tempdir(CLEANUP => 1);
	my %running;

	for my $nr (0 .. $#items + 1) {
		while (%running && ($nr > $#items || keys %running >= $jobs)) {
			my $pid = wait;
			next if !exists $running{$pid};
			my ($at, $file) = @{delete $running{$pid}};
			my $result = $? ? undef : eval { JSON::PP->new->decode(slurp($file)) };
			unlink $file;
			$done->($items[$at], $result);
		}
		next if $nr > $#items;
		my $file = "$results/$nr";
		my $pid = fork // die "fork: $!\n";
		if (!$pid) {
			write_file($file, JSON::PP->new->encode($work->($items[$nr])));
			POSIX::_exit(0);
		}
		$running{$pid} = [$nr, $file];
	}
}

# copy_of(TOP, DIR): the project in DIR, but what an earlier copy built is kept
sub copy_of
{
	my ($top, $dir) = @_;

	make_path("$dir/.cache");
	opendir my $in, $dir or die "$dir: $!\n";
	remove_tree(map { "$dir/$_" } grep { !/^\.(?:|\.|cache)$/ } readdir $in);
	system('bash', '-c', '. "$0/scripts/lib/common.sh" && copy_project "$1" .', $top, $dir) == 0
		or die "$dir: can't copy the project\n";
	# A machine's QEMU may be too old, and another one unpacked here.
	symlink "$top/.cache/emulator", "$dir/.cache/emulator" if -e "$top/.cache/emulator";
}

1;
