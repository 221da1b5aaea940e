# SPDX-License-Identifier: GPL-2.0-only
#
# awk -f targets.awk probed.h targets.tbl [TABLE]...
#
# Check the table of targets, and print it as a C header of lists, from which C makes its
# tables. A feature may have its rows in a TABLE of its own. Rows whose probe doesn't hold for
# this kernel's headers (probed.h) are left out. The build stops at a line that is malformed.
#
#	TLBBATCH_TBL_KIND_NAME(ROW)		ROW(CODE, "SYMBOL", "PROTOTYPE") for each
#						alternative; without alternatives,
#						ROW(NAME, "SYMBOL", "PROTOTYPE"); of a
#						member, ROW(NAME, "STRUCT", "MEMBER", "TYPE")
#	TLBBATCH_TBL_FEATURE_KIND_names(NAME)	NAME(name, optional) for each name
#	TLBBATCH_TBL_hook_NAME_is		initialisers for a struct tlbbatch_hook; the row
#						of a hook whose code is "-" is in there
#	TLBBATCH_TBL_NR_HOOKED			how many functions all features redirect, at
#						most: names of hooks and returns
#
# Any POSIX awk will do.

BEGIN {
	FS = "|"
	split("feature kind name symbol code if need prototype lost why", column, " ")
	nr_features = split("core pass group receivers batch wide hold shootdown lazyfree advise luf defer check debug", features, " ")
	for (i = 1; i <= nr_features; i++)
		is_feature[features[i]] = 1
	nr_kinds = split("hook call entry return trace sign data member enum", kinds, " ")
	for (i = 1; i <= nr_kinds; i++)
		columns[kinds[i]] = kinds[i] == "hook" ? 10 : 8
	has_alternatives["hook"] = has_alternatives["call"] = 1
	has_alternatives["entry"] = has_alternatives["return"] = 1
	has_code["hook"] = has_code["entry"] = has_code["return"] = 1
	has_no_type["data"] = has_no_type["enum"] = 1
	NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
	MEMBER = "^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$"
}

function stop(why,    table)
{
	table = FILENAME
	sub(/.*\//, "", table)
	print "tlbbatch: " table ":" FNR ": " why >"/dev/stderr"
	stopped = 1
	exit 1
}

function quoted(text)
{
	return text == "-" ? "NULL" : "\"" text "\""
}

# The two strings of STRUCT or STRUCT.MEMBER.
function split_member(text,    dot)
{
	dot = index(text, ".")
	return dot ? quoted(substr(text, 1, dot - 1)) ", " quoted(substr(text, dot + 1)) : \
		quoted(text) ", NULL"
}

function is_type(text)
{
	if (kind in has_no_type)
		return text == "-"
	if (kind == "member")
		return text ~ /^[a-z][^()]*$/
	return text ~ /^[a-z][^()]*[(][^()]+[)]$/
}

function is_need(text)
{
	if (text == "-")
		return 1
	if (kind == "hook")
		return text != "optional" && (text ~ NAME || text ~ MEMBER)
	return kind == "entry" && text == "optional"
}

function check_row(first,    i)
{
	if (!(kind in columns))
		stop("no kind '" kind "'")
	if (NF != columns[kind])
		stop("a " kind " has " columns[kind] " columns, not " NF)
	for (i = 1; i <= NF; i++)
		if ($i == "")
			stop("nothing in column '" column[i] "', not even -")
	if (!(feature in is_feature))
		stop("no feature '" feature "'")
	# A feature's hooks are attached in the order of their rows. With one table it is plain.
	if (feature in table_of && table_of[feature] != file)
		stop("another table has rows of '" feature "', too")
	table_of[feature] = file
	if (name !~ NAME)
		stop("'" name "' is no name")
	if (symbol !~ (kind == "member" ? MEMBER : NAME))
		stop("'" symbol "' is no symbol of a " kind)
	if (kind == "hook" && !first && code == "-")
		check_harmless()
	else if (kind in has_code ? code !~ NAME : code != "-")
		stop("'" code "' is no code of a " kind)
	if (probe != "-" && !(substr(probe, probe ~ /^!/ ? 2 : 1) in probed))
		stop("no probe '" probe "'")
	if (/["\\]/)
		stop("a quote or a backslash")
	if (!is_type(proto))
		stop("'" proto "' is no prototype, or type, of a " kind)
	if (!is_need(need))
		stop("'" need "' is no need of a " kind)
	if (!first && need != "-")
		stop("a need that isn't in the first row of its name")
	if (kind != "hook")
		return
	if (first ? lost == "-" : lost != "-" || why != "-")
		stop("'lost' is told in the first row of a hook, and in no other")
	if (first && need != "-" && why == "-")
		stop("'why' belongs to 'need'")
}

# A shape with which the kernel doesn't need the hook. A struct of the kernel's needs no probe.
function check_harmless()
{
	if (key in harmless)
		stop("a second row without code")
	if (needs[key] || probe != "-")
		stop("a row without code needs no 'need' and no 'if'")
}

function add_row(first, key,    row)
{
	row = kind SUBSEP name SUBSEP symbol SUBSEP proto
	if (row in seen)
		stop("a second row of this name, symbol and prototype")
	seen[row] = 1
	if (kind == "hook" && code == "-") {
		harmless[key] = ", { " quoted(symbol) ", " quoted(proto) " }"
		return
	}
	if (kind == "hook" && (code in hook_of))
		stop("a second hook's row has the code '" code "'")
	if (kind == "hook")
		hook_of[code] = name
	if (first) {
		keys[++nr_keys] = key
		has_names[feature, kind] = 1
		nr_hooked += kind == "hook" || kind == "return"
		feature_of[key] = feature
		kind_of[key] = kind
		name_of[key] = name
		optional[key] = need == "optional" ? "true" : "false"
		needs[key] = need != "-"
		reason[key] = why
		if (kind == "hook")
			told[key] = ".name = " quoted(name) ", \\\n\t.lost = " quoted(lost) \
				", \\\n\t.need = { " split_member(need) ", " quoted(why)
	}
	if (probe ~ /^!/ ? probed[substr(probe, 2)] : probe != "-" && !probed[probe])
		return
	rows[key] = rows[key] " \\\n\tROW(" (kind in has_code ? code : name) ", " \
		(kind == "member" ? split_member(symbol) : quoted(symbol)) ", " quoted(proto) ")"
}

FNR == 1 {
	file++
	last = ""
}

file == 1 {
	if (match($0, /TLBBATCH_HAVE_[A-Z0-9_]+/))
		probed[tolower(substr($0, RSTART + 14, RLENGTH - 14))] = /^#define .* 1$/
	next
}

/^#/ || /^[ \t]*$/ { next }

{
	for (i = 1; i <= NF; i++) {
		sub(/^[ \t]+/, "", $i)
		sub(/[ \t]+$/, "", $i)
	}
	feature = $1; kind = $2; name = $3; symbol = $4; code = $5
	# What tells them apart concerns scripts/preflight alone.
	if (kind == "look")
		kind = "hook"
	probe = $6; need = $7; proto = $8; lost = $9; why = $10
	key = kind "_" name
	first = key != last
	check_row(first)
	if (key in name_of && (first || !(kind in has_alternatives)))
		stop("a second " kind " of the name '" name "'")
	if (!first && feature != feature_of[key])
		stop("alternatives of two features")
	add_row(first, key)
	last = key
}

# The names of a feature's targets of a kind.
function print_names(feature, kind,    i, key)
{
	if (!((feature, kind) in has_names))
		return
	printf "\n#define TLBBATCH_TBL_%s_%s_names(NAME)", feature, kind
	for (i = 1; i <= nr_keys; i++) {
		key = keys[i]
		# A hook without rows stays: its file says that it isn't needed.
		if (feature_of[key] == feature && kind_of[key] == kind && (rows[key] != "" || kind == "hook"))
			printf " \\\n\tNAME(%s, %s)", name_of[key], optional[key]
	}
	print ""
}

END {
	if (stopped)
		exit 1
	if (file < 2 || !nr_keys)
		stop("no rows, or no probes")
	for (i = 1; i <= nr_keys; i++)
		if (kind_of[keys[i]] == "hook" &&
		    (needs[keys[i]] || keys[i] in harmless) != (reason[keys[i]] != "-"))
			stop("hook " name_of[keys[i]] ": 'why' belongs to 'need', or to a row without code")
	print "/* Made by targets.awk. */"
	print "#ifndef TLBBATCH_TARGETS_H\n#define TLBBATCH_TARGETS_H\n"
	print "/* For a row: what the kernel calls it. */"
	print "#define TLBBATCH_TBL_SYMBOL(code, symbol, proto)\tsymbol"
	for (i = 1; i <= nr_keys; i++) {
		key = keys[i]
		printf "\n#define TLBBATCH_TBL_%s(ROW)%s\n", key, rows[key]
		if (key in told)
			printf "#define TLBBATCH_TBL_%s_is \\\n\t%s%s }\n", key, told[key], harmless[key]
	}
	for (f = 1; f <= nr_features; f++)
		for (k = 1; k <= nr_kinds; k++)
			print_names(features[f], kinds[k])
	print "\n#define TLBBATCH_TBL_NR_HOOKED\t" nr_hooked
	print "\n#endif /* TLBBATCH_TARGETS_H */"
}
