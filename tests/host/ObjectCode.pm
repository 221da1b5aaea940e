# SPDX-License-Identifier: GPL-2.0-only
#
# What x86-64 object code shows: the stack depth along calls, indirect calls, who calls a
# trampoline. Every path through a function is walked. If something can't be measured, the
# script dies. It never guesses.
package ObjectCode;

use strict;
use warnings;

use constant WORD => 8;

sub new
{
	my ($class, $file) = @_;
	my $self = bless { file => $file, fn => {}, at => {}, insn => {}, order => {}, assume => {}, leads => {} }, $class;

	$self->_symbols;
	$self->_disassemble;
	return $self;
}

# Functions by name, and which one an address belongs to.
sub _symbols
{
	my $self = shift;

	for (`objdump -t '$self->{file}'`) {
		next unless /^([0-9a-f]+) .{6}F (\S+)\s+([0-9a-f]+)\s+(?:\.hidden\s+)?(\S+)$/;
		my $fn = { name => $4, sec => $2, start => hex $1, end => hex($1) + hex $3 };
		$self->{fn}{$4} = $fn;
		push @{$self->{at}{$2}}, $fn;
	}
	die "$self->{file}: no functions\n" unless %{$self->{fn}};
}

sub _disassemble
{
	my $self = shift;
	my ($sec, $last);

	for (`objdump -dr --no-show-raw-insn '$self->{file}'`) {
		if (/^Disassembly of section (\S+):/) {
			$sec = $1;
			undef $last;
		} elsif (/^\s*([0-9a-f]+):\t(\S.*)$/) {
			my ($addr, $text) = (hex $1, $2);
			$text =~ s/\s*#.*//;
			$last = { addr => $addr, text => $text };
			$self->{insn}{$sec}{$addr} = $last;
			push @{$self->{order}{$sec}}, $last;
			$last->{index} = $#{$self->{order}{$sec}};
		} elsif (/^\s+[0-9a-f]+: (R_X86_64_\S+)\s+(\S+)/) {
			push @{$last->{reloc}}, [$1, $2] if $last;
		}
	}
}

# All functions except trampolines and cold parts. The latter belong to their functions.
sub functions
{
	my $self = shift;

	return sort grep { $self->{fn}{$_}{sec} ne '.static_call.text' && !/\.cold$|^__pfx_/ } keys %{$self->{fn}};
}

sub _function_at
{
	my ($self, $sec, $addr) = @_;
	my @hits = grep { $addr >= $_->{start} && $addr < $_->{end} } @{$self->{at}{$sec} // []};

	return $hits[0];
}

# Where a direct call or jump goes: (section, address) here, or (undef, symbol).
sub _target
{
	my ($self, $sec, $insn) = @_;

	if (my ($reloc) = @{$insn->{reloc} // []}) {
		my ($sym, $off) = $reloc->[1] =~ /^(.*?)([-+]0x[0-9a-f]+)?$/;
		$off = !$off ? 0 : $off =~ /^-/ ? -hex substr($off, 1) : hex substr($off, 1);
		$off += 4;
		return ($sym, $off) if $self->{insn}{$sym};
		my $fn = $self->{fn}{$sym};
		return (undef, $sym) if !$fn || $fn->{sec} eq '.static_call.text';
		return ($fn->{sec}, $fn->{start} + $off);
	}
	return ($sec, hex $1) if $insn->{text} =~ /^\S+\s+([0-9a-f]+)\b/;
	die "$self->{file}: where does \"$insn->{text}\" go?\n";
}


# The change of depth by one instruction. The depth at the frame pointer is in $$rbp.
sub _step
{
	my ($self, $fn, $text, $depth, $rbp) = @_;

	return $depth + WORD if $text =~ /^push/;
	if ($text =~ /^pop/) {
		$$rbp = -1 if $text =~ /%rbp/;
		return $depth - WORD;
	}
	return $depth + _offset($2) * ($1 eq 'sub' ? 1 : -1)
		if $text =~ /^(sub|add)q?\s+\$(0x[0-9a-f]+),%rsp$/;
	return $depth - _offset($1) if $text =~ /^lea\s+(-?0x[0-9a-f]+)\(%rsp\),%rsp$/;
	if ($text =~ /^mov\s+%rsp,%rbp$/) {
		$$rbp = $depth;
		return $depth;
	}
	# An alignment takes less stack than its size.
	return $depth + (-_offset($1)) - WORD if $text =~ /^and\s+\$(0xf{8,}[0-9a-f]+),%rsp$/;
	if ($$rbp >= 0) {
		return $$rbp - _offset($1) if $text =~ /^lea\s+(-?0x[0-9a-f]+)\(%rbp\),%rsp$/;
		return $$rbp if $text =~ /^mov\s+%rbp,%rsp$/;
		if ($text =~ /^leave/) {
			my $back = $$rbp - WORD;
			$$rbp = -1;
			return $back;
		}
	}
	die "$fn: cannot measure \"$text\"\n"
		if $text =~ /,%rsp$/ && $text !~ /^(?:cmp|test)/ || $text =~ /^(?:leave|enter|xchg.*%rsp)/;
	return $depth;
}

# Signed 64-bit immediates without leaving perl's integers.
sub _offset
{
	my $text = shift;
	my $minus = $text =~ s/^-//;
	my $value;

	if ($text =~ /^0xf{8}([0-9a-f]{8})$/) {
		$value = hex($1) - 4294967296;
	} else {
		$value = hex $text;
	}
	return $minus ? -$value : $value;
}

# Walk all of a function, its cold part included. Returns [depth, kind, target, text] for
# each call, tail call and indirect call, and the deepest point of the function itself.
sub _walk
{
	my ($self, $name) = @_;

	return $self->{walked}{$name} if $self->{walked}{$name};
	my $fn = $self->{fn}{$name} or die "no function $name\n";
	my @todo = ([$fn->{sec}, $fn->{start}, 0, -1]);
	my ($deepest, %seen, @calls) = (0);

	while (my $todo = pop @todo) {
		my ($sec, $addr, $depth, $rbp) = @$todo;
		next if $seen{"$sec $addr $depth $rbp"}++;
		my $insn = $self->{insn}{$sec}{$addr} or die "$name: no code at $sec $addr\n";
		my $text = $insn->{text};
		$text =~ s/^(?:(?:notrack|lock|rep|repz|repnz|bnd|cs|ds|gs)\s+)+//;
		my $next = $self->{order}{$sec}[$insn->{index} + 1];
		my $inside = $self->_function_at($sec, $addr);

		$depth = $self->_step($name, $text, $depth, \$rbp);
		die "$name: the stack does not balance\n" if $depth < 0 || $depth > 65536;
		$deepest = $depth if $depth > $deepest;

		if ($text =~ /^(call|j\w+)q?\s+\*(.*)/) {
			my ($op, $where) = ($1, $2);
			my $pv = grep { $_->[1] =~ /^pv_ops\b/ } @{$insn->{reloc} // []};
			push @calls, [$depth + ($op eq 'call' ? WORD : 0), 'indirect',
				$pv ? 'paravirt' : $text];
			next if $op ne 'call';
		} elsif ($text =~ /^call/) {
			my ($tsec, $to) = $self->_target($sec, $insn);
			push @calls, [$depth + WORD, $self->_callee($name, $tsec, $to)];
		} elsif ($text =~ /^(?:j\w+|loop\w*)\s/) {
			my ($tsec, $to) = $self->_target($sec, $insn);
			my $into = $tsec && $self->_function_at($tsec, $to);
			if ($into && ($into == $inside || $into->{name} =~ /\.cold$/ || $inside->{name} =~ /\.cold$/)) {
				push @todo, [$tsec, $to, $depth, $rbp];
			} elsif ($tsec || $to ne '__x86_return_thunk') {
				push @calls, [$depth, $self->_callee($name, $tsec, $to)];
			}
			next if $text =~ /^jmp/;
		} elsif ($text =~ /^(?:ret|int3|hlt|iret)/) {
			next;
		}
		# After a call that doesn't return, the function may simply end.
		push @todo, [$sec, $next->{addr}, $depth, $rbp]
			if $next && $inside && $next->{addr} < $inside->{end};
	}
	return $self->{walked}{$name} = { deepest => $deepest, calls => \@calls };
}

sub _callee
{
	my ($self, $name, $sec, $to) = @_;

	return ('indirect', 'thunk') if !$sec && $to =~ /^__x86_indirect_thunk_/;
	return ('external', $to) if !$sec;
	my $fn = $self->_function_at($sec, $to);
	die "$name: calls into the middle of something\n" unless $fn && $fn->{start} == $to;
	return ('own', $fn->{name});
}

# The functions that NAME's indirect calls may reach.
sub assume
{
	my ($self, $name, @targets) = @_;

	$self->{assume}{$name} = \@targets;
}

# The functions of this file that may be the target of a static call.
sub lead
{
	my ($self, $trampoline, @targets) = @_;

	$self->{leads}{$trampoline} = \@targets;
}

sub _callees
{
	my ($self, $name) = @_;
	my @callees;

	for my $call (@{$self->_walk($name)->{calls}}) {
		my ($depth, $kind, $to) = @$call;
		push @callees, [$depth, $to] if $kind eq 'own';
		push @callees, map { [$depth, $_] } @{$self->{leads}{$to} // []} if $kind eq 'external';
		next unless $kind eq 'indirect' && $to ne 'paravirt';
		my $assumed = $self->{assume}{$name} or die "$name: an indirect call to nobody knows what\n";
		push @callees, map { [$depth, $_] } @$assumed;
	}
	return @callees;
}

# The most bytes that NAME takes, with all functions of this file that it calls. Return
# addresses are included, except NAME's own. Also returns the chain of calls.
sub chain
{
	my ($self, $name, @above) = @_;

	die "$name: recursion\n" if grep { $_ eq $name } @above;
	return @{$self->{chain}{$name}} if $self->{chain}{$name};
	my $walk = $self->_walk($name);
	my $most = $walk->{deepest};
	my @path;
	for my $call (@{$walk->{calls}}) {
		$most = $call->[0] if $call->[0] > $most;
	}
	my $own = $most;
	for my $callee ($self->_callees($name)) {
		my ($bytes, @below) = $self->chain($callee->[1], @above, $name);
		next if $callee->[0] + $bytes <= $most;
		$most = $callee->[0] + $bytes;
		@path = @below;
	}
	$self->{chain}{$name} = [$most, "$name ($own)", @path];
	return @{$self->{chain}{$name}};
}

# Bytes that NAME has taken when it calls the outside function TO.
sub to_call
{
	my ($self, $name, $to) = @_;
	my @depths = map { $_->[0] } grep { $_->[1] eq 'external' && $_->[2] eq $to } @{$self->_walk($name)->{calls}};

	die "$name doesn't call $to\n" unless @depths;
	return (sort { $b <=> $a } @depths)[0];
}

# NAME's indirect calls: "paravirt", "thunk", or the instruction.
sub indirect
{
	my ($self, $name) = @_;

	return map { $_->[2] } grep { $_->[1] eq 'indirect' } @{$self->_walk($name)->{calls}};
}

# NAME and all of this file's functions that it may call.
sub reached
{
	my ($self, $name) = @_;
	my @todo = ($name);
	my %seen;

	while (defined(my $fn = pop @todo)) {
		next if $seen{$fn}++;
		for my $call (@{$self->_walk($fn)->{calls}}) {
			push @todo, $call->[2] if $call->[1] eq 'own';
			push @todo, @{$self->{leads}{$call->[2]} // []} if $call->[1] eq 'external';
		}
	}
	return sort keys %seen;
}

# Functions of other files that NAME may call, by way of this file's own.
sub outside
{
	my ($self, $name) = @_;
	my %seen;

	for my $fn ($self->reached($name)) {
		$seen{$_->[2]}++ for grep { $_->[1] eq 'external' } @{$self->_walk($fn)->{calls}};
	}
	return sort keys %seen;
}

# Who calls each trampoline whose name matches, and where else code uses one.
sub trampolines
{
	my ($self, $match) = @_;
	my %direct = map { $_ => {} } grep { $_ =~ $match } keys %{$self->{fn}};
	my @other;

	for my $sec (grep { /text/ && $_ ne '.static_call.text' } keys %{$self->{order}}) {
		for my $insn (@{$self->{order}{$sec}}) {
			for my $reloc (@{$insn->{reloc} // []}) {
				my ($type, $sym) = ($reloc->[0], $reloc->[1] =~ s/[-+]0x[0-9a-f]+$//r);
				next unless $sym =~ $match;
				my $fn = $self->_function_at($sec, $insn->{addr});
				my $name = $fn ? $fn->{name} : $sec;
				if ($type =~ /^R_X86_64_(?:PLT|PC)32$/ && $insn->{text} =~ /^(?:call|jmp)\s+[^*]/) {
					$direct{$sym}{$name}++;
				} else {
					push @other, "$name: $insn->{text} ($sym)";
				}
			}
		}
	}
	return (\%direct, \@other);
}

1;
