# All of the work is done in the last part of a pipeline. A third process follows, which does nothing: in a shell that runs
# the loop itself it stands where the others have the sub-shell.
seq 50000 | while read -r n; do total=$((total + n)); done
seq 1 > /dev/null
:
