# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What torture's actors choose. Each choice follows from the seed, the actor and the choice's
# number, and from nothing else: not from time, and not from what became of earlier choices.
# The generator is splitmix64. To be sourced.

# The mix of its state. Shifts of negative numbers keep the sign, so the masks drop it.
choices_mix()
{
	local x=$(($1 + 0x9E3779B97F4A7C15))

	x=$(((x ^ (x >> 30 & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9))
	x=$(((x ^ (x >> 27 & 0x1FFFFFFFFF)) * 0x94D049BB133111EB))
	REPLY=$((x ^ (x >> 31 & 0x1FFFFFFFF)))
}

# choices_begin NUMBER...: the choices that follow are those that these numbers name
choices_begin()
{
	local number

	choices_state=0
	for number; do
		choices_mix $((choices_state ^ number))
		choices_state=$REPLY
	done
}

# pick N: set REPLY to a number from 0 to N - 1
pick()
{
	choices_state=$((choices_state + 0x9E3779B97F4A7C15))
	choices_mix "$choices_state"
	REPLY=$(((REPLY & 0x7FFFFFFFFFFFFFFF) % $1))
}

# choose WORD...: set REPLY to one of them
choose()
{
	pick $#
	shift "$REPLY"
	REPLY=$1
}

# shuffle N: set SHUFFLED to the numbers from 0 to N - 1 in some order
shuffle()
{
	local i other

	SHUFFLED=()
	for ((i = 0; i < $1; i++)); do
		pick $((i + 1))
		SHUFFLED[i]=${SHUFFLED[REPLY]-}
		SHUFFLED[REPLY]=$i
	done
}

# kinds_read LIST ACTOR: set KINDS (names), COMMANDS, and SLOTS, where the number of each kind
# occurs as often as its weight says; and ACTOR_NR, the actor's number
kinds_read()
{
	local actor name weight command last='' seen=0

	KINDS=() COMMANDS=() SLOTS=() ACTOR_NR=
	while read -r actor name weight command; do
		case $actor in '' | '#'*) continue ;; esac
		[ "$actor" = "$last" ] || seen=$((seen + 1))
		last=$actor
		[ "$actor" = "$2" ] || continue
		ACTOR_NR=$seen
		for ((; weight > 0; weight--)); do
			SLOTS+=(${#KINDS[@]})
		done
		KINDS+=("$name")
		COMMANDS+=("$command")
	done <"$1"
}

# round_begin SEED ROUND: set ORDER to the kinds of this round of the actor that was read. Each
# kind is in each round, so a short run has every kind, too.
round_begin()
{
	local slot

	choices_begin "$1" "$ACTOR_NR" "$2" 0
	shuffle ${#SLOTS[@]}
	ORDER=()
	for slot in "${SHUFFLED[@]}"; do
		ORDER+=("${SLOTS[slot]}")
	done
}

# turn_begin SEED ROUND TURN: the choices that follow are those of this turn
turn_begin()
{
	choices_begin "$1" "$ACTOR_NR" "$2" $(($3 + 1))
}
