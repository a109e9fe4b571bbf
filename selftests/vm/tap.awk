# SPDX-License-Identifier: GPL-2.0
# One machine's output -> "RESULT test pass fail skip seconds" and "WHY test text" lines. A test that began and did not end
# gives "CUT test". Of what a point that failed said before ("# ..."), the last lines go along.

BEGIN { SAID = 5 }

function flush_test(status, seconds,	points) {
	points = pass + fail + skip
	if (points == 0 && plan == 0 && planned) {
		skip = 1
		print "WHY " test " skipped: " plan_text
	} else if (points == 0 && status == 4) {
		skip = 1
		print "WHY " test " skipped: " last
	} else if (points == 0 && status == 0) {
		pass = 1
	} else if (points > 0 && (!planned || plan != points)) {
		fail++
		print "WHY " test " " (planned ? "plan of " plan : "no plan") ", " points " points"
	}
	if (status != 0 && status != 4 && fail == 0) {
		fail++
		print "WHY " test " " (status == 124 || status == 123 ? "time-out" : "exit status " status) "; last line: " last
	} else if (status == 124 || status == 123) {
		print "WHY " test " time-out; last line: " last
	}
	print "RESULT", test, pass, fail, skip, seconds
	test = ""
}

{ sub(/\r$/, "") }
/^@begin / {
	test = $2
	pass = fail = skip = planned = 0
	plan = -1
	last = ""
	n_said = 0
	next
}
/^@end / { flush_test($3, $4); next }
/^@splat / {
	print "WHY " $2 " kernel splat"
	print "RESULT", $2, 0, 1, 0, 0
	splat = $2
	next
}
/^@reload / {
	print "WHY " $2 " the module does not unload"
	print "RESULT", $2, 0, 1, 0, 0
	next
}
/^@/ { splat = ""; next }
splat != "" && NF { if (splat_lines[splat]++ < 6) print "WHY " splat "   " $0 }
test == "" { next }
/^#/ { if (!/^# (# |ok )/) said[n_said++ % SAID] = $0 }
/^ok / { n_said = 0 }
/^not ok / {
	for (i = n_said > SAID ? n_said - SAID : 0; i < n_said; i++)
		print "WHY " test "   " said[i % SAID]
	n_said = 0
}
/^ok .*# *[Ss][Kk][Ii][Pp]/ { skip++; print "WHY " test " " $0; next }
/^ok / { pass++; next }
/^not ok / { fail++; print "WHY " test " " $0; last = $0; next }
/^1\.\.[0-9]+/ { planned = 1; plan = substr($1, 4) + 0; plan_text = $0; next }
NF { last = $0 }
END { if (test != "") print "CUT " test }
