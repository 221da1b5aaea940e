# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every script here needs: where things are, how to complain, and how to
# get a package that is missing.  To be sourced.

TLBBATCH_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TLBBATCH_CACHE=${TLBBATCH_CACHE:-$TLBBATCH_TOP/.cache}
# Guest roots of another checkout's cache. They are used as they are.
TLBBATCH_ROOTS=${TLBBATCH_ROOTS:-$TLBBATCH_CACHE}
TLBBATCH_RESULTS=${TLBBATCH_RESULTS:-$TLBBATCH_TOP/results}
export TLBBATCH_TOP TLBBATCH_CACHE TLBBATCH_ROOTS TLBBATCH_RESULTS

# Standard output is for a script's results. Messages go to standard error.
note()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# A caller whose exit codes have a meaning sets DIE_CODE.
die()
{
	note "$*"
	exit "${DIE_CODE:-1}"
}

# Print the usage: the comment at the top of the calling script, without the
# interpreter and the licence.
usage()
{
	awk 'NR <= 3 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$0"
}

# is_variant NAME: is there such a build of the module? "none" is no module at all.
is_variant()
{
	case $1 in
	release | no-events | debug | example | negative-late | negative-never | none) ;;
	negative-lf-dirty | negative-lf-refs | negative-lf-none | negative-lf-table | negative-lf-flush) ;;
	*) return 1 ;;
	esac
}

require_root()
{
	[ "$(id -u)" -eq 0 ] || die "needs root (chroot, mount, mknod)"
}

# need PACKAGE...
#
# Install those of the packages that are missing. If all are there, nothing is touched and
# no network is used.
need()
{
	local lock missing

	missing_of "$@" >/dev/null && return 0
	require_root
	# One at a time: apt fails where another apt is at work.
	mkdir -p "$TLBBATCH_CACHE"
	exec {lock}>"$TLBBATCH_CACHE/need.lock"
	flock "$lock"
	mapfile -t missing < <(missing_of "$@")
	[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
	exec {lock}>&-
}

# missing_of PACKAGE...: print those that aren't installed; succeeds if none is.
missing_of()
{
	local package rc=0

	for package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed && continue
		echo "$package"
		rc=1
	done
	return $rc
}

install_packages()
{
	note "installing $*"
	# One unreachable third-party repository must not stop us. The second command tells
	# whether the packages can be had.
	apt-get -qq update >&2 || note "apt-get update failed, trying on"
	# Another run or the machine's own upgrades may hold dpkg's lock for a while.
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 \
		--no-install-recommends install "$@" >&2
}

# take_lock FILE WHAT
#
# Hold FILE until this process ends, however it ends.
take_lock()
{
	mkdir -p "${1%/*}"
	exec {TLBBATCH_LOCK_FD}>"$1"
	flock -n "$TLBBATCH_LOCK_FD" && return 0
	note "waiting for another $2"
	flock "$TLBBATCH_LOCK_FD"
}

# take_slot DIR COUNT WHAT: the same as take_lock, for one of COUNT places.
take_slot()
{
	local slot told=0

	mkdir -p "$1"
	while :; do
		for ((slot = 0; slot < $2; slot++)); do
			exec {TLBBATCH_SLOT_FD}>"$1/slot$slot"
			flock -n "$TLBBATCH_SLOT_FD" && return 0
			exec {TLBBATCH_SLOT_FD}>&-
		done
		[ $told -eq 1 ] || note "waiting for one of $2 $3 to end"
		told=1
		sleep 0.5
	done
}

# has_git: is the top a work tree that git reads? Three kinds of trees aren't: a release
# tarball, a copy below another project's work tree, and a clone that belongs to another
# user (git says "dubious ownership").
has_git()
{
	local git_top

	git_top=$(git -C "$TLBBATCH_TOP" rev-parse --show-toplevel 2>/dev/null) &&
		[ "$git_top" -ef "$TLBBATCH_TOP" ]
}

# ignore_rules: set IGNORED (an array) to tests for find, which say what git would ignore by
# .gitignore. The last line that matches decides. Only those parts of the language are known
# that the file uses; tests/host/files compares with git.
ignore_rules()
{
	local line name rule

	IGNORED=(-false)
	while IFS= read -r line; do
		case $line in
		'' | '#'*) continue ;;
		esac
		rule=()
		[[ $line != */ ]] || rule=(-type d)
		name=${line#!}
		name=${name%/}
		case $name in
		*/*) rule+=(-path "./${name#/}") ;;
		*) rule+=(-name "$name") ;;
		esac
		case $line in
		!*) IGNORED=(! '(' "${rule[@]}" ')' '(' "${IGNORED[@]}" ')') ;;
		*) IGNORED=('(' "${rule[@]}" ')' -o '(' "${IGNORED[@]}" ')') ;;
		esac
	done <"$TLBBATCH_TOP/.gitignore"
}

# project_files [--tracked] PATH...
#
# List, NUL separated and relative to the top, the files under PATHs that belong
# to the project: what git tracks or would track; with --tracked only the former.
# Without git (has_git) these are all files that .gitignore doesn't name.
project_files()
(
	others=(--others --exclude-standard)
	if [ "${1-}" = --tracked ]; then
		others=()
		shift
	fi
	present=()
	for path; do
		[ ! -e "$TLBBATCH_TOP/$path" ] || present+=("$path")
	done
	[ ${#present[@]} -gt 0 ] || exit 0

	cd "$TLBBATCH_TOP" || exit
	if has_git; then
		git ls-files -z --cached ${others[@]+"${others[@]}"} -- \
			"${present[@]}"
	else
		ignore_rules
		# The rules match "./PATH", or ".".
		present=("${present[@]/#/./}")
		find "${present[@]/#.\/./.}" '(' -name .git -o "${IGNORED[@]}" ')' -prune -o \
			'(' -type f -o -type l ')' -print0 | sed -z 's,^\./,,'
	fi | sort -zu | while IFS= read -r -d '' path; do
		# git also lists what was deleted but not yet committed.
		[ ! -e "$path" ] || printf '%s\0' "$path"
	done
)

# copy_project DEST PATH...: copy the project's files under PATHs to DEST.
copy_project()
{
	local dest=$1

	shift
	mkdir -p "$dest"
	project_files "$@" |
		tar -C "$TLBBATCH_TOP" --null --no-recursion -T - -c |
		tar -C "$dest" --no-same-owner -x
}

# hash_project PATH...: one hash over names, modes and contents.
hash_project()
{
	(
		cd "$TLBBATCH_TOP" || exit
		project_files "$@" | xargs -0 -r stat -c '%a %n'
		project_files "$@" | xargs -0 -r sha256sum
	) | sha256sum | cut -d' ' -f1
}
