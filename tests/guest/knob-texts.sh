# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Many texts for a knob, good and bad.  Sourced after lib.sh.

# try_texts: one process writes all of them, since under emulation a thousand processes take
# minutes. Reads lines of KNOB WANTED TEXT. WANTED is "ok" (then TEXT is read back) or the
# name of an errno (then nothing may change, hooks included). In TEXT, \n and \0 stand for
# those bytes, \s for a space, \e for nothing, and \xN:C for N times C. Prints lines of
# STATUS NAME, and in the end that word.
try_texts()
{
	perl -e '
		use Errno;
		my $k = shift;
		my @files = ((grep { -f && (stat _)[2] & 0200 } glob("$k/* $k/*/*")),
			     glob("$k/hooks/*"),
			     "/sys/kernel/tracing/enabled_functions",
			     "/sys/kernel/debug/kprobes/list");
		sub slurp { open(my $f, "<", $_[0]) or die; local $/; <$f> // "" }
		sub state { join "", map { slurp($_) } @files }
		sub result { print $_[0] ? 0 : 1, " $_[1]\n" }
		while (<STDIN>) {
			my ($knob, $wanted, $shown) = /^(\S+) (\S+) (\S+)$/ or next;
			my $text = $shown;
			$text =~ s/\\x(\d+):(.)/$2 x $1/ge;
			my %stands = (n => "\n", t => "\t", r => "\r", s => " ",
				      e => "", 0 => "\0");
			$text =~ s/\\([ntrse0])/$stands{$1}/g;
			my $before = state();
			open(my $f, ">", "$k/$knob") or die;
			my $n = syswrite($f, $text);
			my $got = defined($n) ? "ok" :
				  join "", grep { $!{$_} } keys %!;
			$got = "short write" if defined($n) && $n != length $text;
			close $f;
			result($got eq $wanted, "$knob: \"$shown\": $wanted" .
				($got eq $wanted ? "" : ", got $got"));
			if ($wanted eq "ok" && $text =~ /^0*(\d+)\n?$/) {
				result(slurp("$k/$knob") eq "$1\n",
				       "$knob: \"$shown\" reads back $1");
			} elsif ($wanted eq "ok" && $text =~ /^([a-z]+)\n?$/) {
				result(index(slurp("$k/$knob"), "[$1]") >= 0,
				       "$knob: \"$shown\" reads back [$1]");
			} else {
				result(state() eq $before,
				       "$knob: \"$shown\" changed nothing");
			}
		}
		print "end\n"' "$K"
}

# try_all KNOB: run try_texts for lines of "WANTED TEXT..."
try_all()
{
	local knob=$1 wanted texts text status name ended=

	while read -r status name; do
		if [ "$status" = end ]; then
			ended=yes
		else
			ok "$status" "$name"
		fi
	done < <(while read -r wanted texts; do
		for text in $texts; do
			echo "$knob $wanted $text"
		done
	done | try_texts)
	[ "$ended" ] || ok 1 "$knob: every text was tried"
}

# knob_fuzz ARG...: knob-fuzz ends by itself, on a slow kernel later
knob_fuzz()
{
	"$BIN/knob-fuzz" --timeout-seconds $((300 * ${TLBBATCH_TIMEOUT_FACTOR:-1})) "$@"
}
