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
printf '{"outside": %d, "pids_apart": %d, "says_parent": %d}\n' \
    "$total" "$((kernel != $$))" "$((said == $$))"
