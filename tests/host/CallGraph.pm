# SPDX-License-Identifier: GPL-2.0-only
#
# Which C file uses which, from the text alone. It needs no kernel and no compiler, and sees
# every branch of an #if. Where C is ambiguous without a compiler, the kernel's style
# decides: a statement outside of braces, a macro that begins with DEFINE_ or DECLARE_.
package CallGraph;

use strict;
use warnings;
use File::Basename qw(dirname);
use Exporter qw(import);

our @EXPORT_OK = qw(content read_files owners reached arrows circles);

my $ID = qr/[A-Za-z_]\w*/;
my $PARENS = qr/(\((?:[^()]++|(?-1))*\))/;
# Files that the build makes.
our %MADE = map { $_ => 1 } 'probed.h', 'targets.h';

sub content
{
	my ($path) = @_;

	open my $in, '<', $path or return '';
	local $/;
	return scalar <$in> // '';
}

# --- C, as far as it is needed --------------------------------------------------

# Removes comments, empties strings, and joins continued lines.
sub bare
{
	my ($text) = @_;

	$text =~ s{("(?:\\.|[^"\\])*")|'(?:\\.|[^'\\])'|/\*.*?\*/|//[^\n]*}
		  {defined $1 ? '""' : ' '}gse;
	$text =~ s/\\\n/ /g;
	return $text;
}

# The file's statements outside of all braces, each with its ";" or with what is in its braces.
sub statements
{
	my ($text) = @_;
	my ($depth, $inside, @found) = (0, 0, '');

	for my $token ($text =~ /$ID|\d\w*|->|[^\s\w]/g) {
		$found[-1] .= "$token ";
		$depth++ if $token =~ /[{(\[]/;
		$depth-- if $token =~ /[})\]]/;
		next if $depth;
		# A function ends with its brace; a struct or a table with a semicolon.
		push @found, '' if $token eq ';' ||
			($token eq '}' && $found[-1] =~ /^[^={]*\) (?:$ID )?\{/);
	}
	return grep { /\S/ } @found;
}

# What a statement defines for other files, or '' for nothing; undef if it only declares.
sub defines
{
	my ($statement) = @_;

	# Macros that end without a semicolon aren't part of the statement.
	1 while $statement =~ s/^(?!DEFINE_|DECLARE_)[A-Z]\w* $PARENS (?=[a-zA-Z])//;
	my ($head, $braces) = $statement =~ /^([^{]*)(.*)$/s;

	return undef if $head =~ /^(?:extern|typedef|DECLARE_\w+) /;
	return '' if $head =~ /\bstatic /;
	return $1 if $head =~ /^DEFINE_STATIC_CALL\w* \( ($ID) /;
	return $1 if $head =~ /^DEFINE_PER_CPU\w* \( .* , ($ID) \)/;
	# Attributes.
	$head =~ s/\b__\w+ (?:\( [^()]*\) )?//g;
	return $1 if $braces && $head =~ /^[^=(]*?($ID) \(/;
	$head .= $braces =~ s/.*\}//sr =~ s/\b__\w+ //gr
		if $braces && $head =~ /^(?:struct|union|enum) (?:$ID )?$/;
	return $1 if $head =~ /^[^=(]* ($ID) (?:\[ [^=]*\] )*(?:=|; ?$)/ && $head !~ /^(?:struct|union|enum) $ID ; $/;
	# A prototype. The use of a macro is none.
	return $head =~ /^[a-z]$ID (?:.* )?\(/ && $head =~ / $ID \(/ ? undef : '';
}

# --- the files ------------------------------------------------------------------

# module/x.c, include/tlbbatch/x.h and module/x.h are x.
sub unit_of
{
	my ($file) = @_;

	return $file =~ s/^(?:module|include\/tlbbatch|include)\///r =~ s/\.[ch]$//r;
}

# {UNIT}{defines, declares, calls, local, names, includes}; {MACRO}{names} go to %$macro, complaints
# to %$wrong.
sub read_files
{
	my ($dir, $macro, $wrong, @files) = @_;
	my (%unit, %is_file);

	$is_file{$_} = 1 for @files;
	for my $file (@files) {
		my $raw = content("$dir/$file");
		my $text = bare($raw);
		my $unit = $unit{unit_of($file)} //= { map { $_ => {} }
			qw(defines declares calls local names includes) };

		for my $name ($raw =~ /^[ \t]*#[ \t]*include[ \t]+["<]([^">\n]+)[">]/mg) {
			my ($found) = grep { $is_file{$_} } map { s{[^/]+/\.\./}{}gr }
				dirname($file) . "/$name", "module/$name", "include/$name";

			$unit->{includes}{unit_of($found)} = 1 if $found;
			push @{$wrong->{include}}, "$file: $name"
				if !$found && !$MADE{$name} &&
				($name =~ /^tlbbatch\// || $raw =~ /include[ \t]+"\Q$name\E"/);
		}
		$unit->{defines}{$_} = $file for $raw =~ /\.globl[ \t]+($ID)/g;
		# Names in a macro are used where the macro is used. Of a name that it
		# pastes together, the beginning is known.
		while ($text =~ /^[ \t]*#[ \t]*define[ \t]+($ID)(.*)$/mg) {
			my ($name, $body) = ($1, $2);

			$macro->{$name}{"$1*"} = 1 while $body =~ /\b(\w+_[a-z]+_)[ \t]*##/g;
			$macro->{$name}{$_} = 1 for $body =~ /$ID/g;
			$unit->{defines}{"$1*"} = $file
				if $body =~ /DEFINE_STATIC_CALL\w*[ \t]*\([ \t]*(\w+)##/;
		}
		$text =~ s/^[ \t]*#.*$//mg;
		for my $statement (statements($text)) {
			my $name = defines($statement);

			if (!defined $name) {
				$unit->{calls}{$1} = 1 if $statement =~ /^DECLARE_STATIC_CALL \( ($ID)/;
				$unit->{declares}{$1} = 1
					if $statement =~ /^DECLARE_STATIC_CALL \( ($ID)/ ||
					$statement =~ /^DECLARE_\w+ \( .* , ($ID) \)/ ||
					$statement =~ /($ID) (?:\(|;|\[)/;
				next;
			}
			$unit->{defines}{$name} = $file if $name ne '';
			$unit->{local}{$1} = 1 if $statement =~ /^[^={]*\bstatic [^(={;]*?($ID) [(=\[;]/;
			# Not a member's name.
			$statement =~ s/\b(struct|union) (?:$ID )?(\{(?:[^{}]|(?2))*\})/$1/g;
			$unit->{names}{$_} = 1 for $statement =~ /(?<!\. )(?<!-> )\b$ID/g;
		}
	}
	return %unit;
}

# NAME -> UNIT that defines it
sub owners
{
	my ($unit, $wrong) = @_;
	my (%owner, %pasted);

	for my $name (sort keys %$unit) {
		for my $symbol (sort keys %{$unit->{$name}{defines}}) {
			if ($symbol =~ /(.*)\*$/) {
				$pasted{$1} = $name;
				next;
			}
			push @{$wrong->{twice}}, "$symbol: $owner{$symbol}, $name"
				if ($owner{$symbol} // $name) ne $name;
			$owner{$symbol} = $name;
		}
	}
	# Static calls that a macro defines, one for each row of a table.
	for my $symbol (map { keys %{$_->{calls}} } values %$unit) {
		for my $prefix (grep { index($symbol, $_) == 0 } sort keys %pasted) {
			$owner{$symbol} //= $pasted{$prefix};
		}
	}
	return %owner;
}

# Everything that names stand for, with macros expanded.
sub expanded
{
	my ($macro, @names) = @_;
	my %seen;

	while (defined(my $name = shift @names)) {
		push @names, keys %{$macro->{$name} // {}} if !$seen{$name}++;
	}
	return sort keys %seen;
}

# All files that a file's includes bring with them.
sub reached
{
	my ($unit, @names) = @_;
	my %seen;

	while (defined(my $name = shift @names)) {
		push @names, keys %{$unit->{$name}{includes}} if !$seen{$name}++;
	}
	return keys %seen;
}

# Symbols that a macro pastes together from a beginning and a name, if the name is in the
# table of targets or in the file's own macros, and a header declares the result.
sub pasted
{
	my ($unit, $words, $prefix, $name, @names) = @_;
	my %known = (%$words, map { $_ => 1 } @names);
	my %declared = map { %{$unit->{$_}{declares}} } reached($unit, $name);

	return grep { index($_, $prefix) == 0 && $known{substr($_, length $prefix)} } keys %declared;
}

# {FROM}{TO} = why
sub arrows
{
	my ($unit, $macro, $words, $owner) = @_;
	my %arrows;

	for my $name (sort keys %$unit) {
		my $from = $unit->{$name};
		my $to = $arrows{$name} = {};
		my @names = expanded($macro, keys %{$from->{names}});

		$to->{$_} = 'includes it' for grep { $_ ne $name } keys %{$from->{includes}};
		for my $symbol (map { /(.*)\*$/ ? pasted($unit, $words, $1, $name, @names) : $_ } @names) {
			my $other = $owner->{$symbol};

			$to->{$other} = "uses $symbol" if $other && $other ne $name &&
				!$from->{local}{$symbol} && !$from->{defines}{$symbol} &&
				($to->{$other} // 'includes it') eq 'includes it';
		}
	}
	return %arrows;
}

# Circles: sets of files in which each file uses each other one, by way of others (Tarjan).
sub circles
{
	my ($arrows) = @_;
	my (%index, %low, %on, @stack, @found, $visit);
	my $next = 0;

	$visit = sub {
		my ($at) = @_;

		$index{$at} = $low{$at} = $next++;
		push @stack, $at;
		$on{$at} = 1;
		for my $to (sort keys %{$arrows->{$at}}) {
			if (!exists $index{$to}) {
				$visit->($to);
				$low{$at} = $low{$to} if $low{$to} < $low{$at};
			} elsif ($on{$to} && $index{$to} < $low{$at}) {
				$low{$at} = $index{$to};
			}
		}
		return if $low{$at} != $index{$at};
		my @set;
		do {
			push @set, pop @stack;
			delete $on{$set[-1]};
		} while ($set[-1] ne $at);
		push @found, [sort @set] if @set > 1;
	};
	$visit->($_) for grep { !exists $index{$_} } sort keys %$arrows;
	return @found;
}

1;
