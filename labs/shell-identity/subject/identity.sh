# Counts in the last part of a pipeline, and prints what the shell knows of it afterwards as a JSON document.
total=0
seq 1000 | {
    while read -r n; do total=$((total + n)); done
    # A builtin reads the file, so that the kernel tells of the process that runs this line.
    read -r kernel rest < /proc/self/stat
    echo "$total $$ $kernel" > inside
}
read -r counted said kernel < inside
[ "$counted" = 500500 ] || { echo "counted $counted instead of 500500" >&2; exit 1; }
# A `for` loop over the words of a substitution is run by the shell itself; zsh splits it into words, too.
lost=$total total=0
for n in $(seq 1000); do total=$((total + n)); done
printf '{"outside": %d, "after_for": %d, "pids_apart": %d, "says_parent": %d}\n' \
    "$lost" "$total" "$((kernel != $$))" "$((said == $$))"
