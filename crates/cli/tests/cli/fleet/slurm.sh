#!/bin/sh
# Says what Slurm says, for nodes that are processes here: no Slurm, but its words. It is called by the names of its programs.
# FAKE is its folder: `nodes` has what sinfo lists, `jobs` what was submitted.
job_of() { sed -n 1p "$FAKE/jobs/$1"; }
state_of() {
    if [ ! -e "$FAKE/jobs/$1.code" ]; then echo RUNNING; return; fi
    case $(cat "$FAKE/jobs/$1.code") in
        0) echo COMPLETED ;;
        *) echo FAILED ;;
    esac
}
option() { # option NAME WORDS…: the value of --NAME=VALUE
    name=$1; shift
    for word in "$@"; do case $word in --"$name"=*) echo "${word#*=}" ;; esac; done
}
case ${0##*/} in
sinfo)
    [ ! -e "$FAKE/away" ] || { echo 'slurm_load_partitions: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
    cat "$FAKE/nodes" ;;
sbatch)
    [ ! -e "$FAKE/dead" ] || { echo 'sbatch: error: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
    node=$(option nodelist "$@")
    [ "$node" != forbidden ] || { echo 'sbatch: error: Batch job submission failed: Access/permission denied' >&2; exit 1; }
    number=$(ls "$FAKE/jobs" | grep -vc code)
    option job-name "$@" > "$FAKE/jobs/$number"
    echo "$*" >> "$FAKE/submitted"
    while case $1 in -*) true ;; *) false ;; esac; do shift; done
    script=$1; shift
    out=$(dirname "$script")/out/$1
    {
        code=0
        case $node in
            garbage) printf 'Segmentation fault\nfauxplat-answer/1 x 1/1 0 !!\n' > "$out" ;;
            another) while [ ! -e "${out%/*}/0" ]; do sleep 0.05; done; cp "${out%/*}/0" "$out" ;;
            apart) code=91 ;;
            broken) code=7; echo 'fauxplat: no room in /tmp' > "$(dirname "$script")/errors/$1" ;;
            *) FAKE_NODE=$node FAKE_TASK=$1 sh "$script" "$@" || code=$? ;;
        esac
        echo $code > "$FAKE/jobs/$number.code.part"
        mv "$FAKE/jobs/$number.code.part" "$FAKE/jobs/$number.code"
    } > /dev/null 2>&1 < /dev/null &
    echo "$number" ;;
squeue)
    [ ! -e "$FAKE/dead" ] || { echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
    for file in $(ls "$FAKE/jobs" | grep -v code); do echo "$file|$(job_of "$file")|$(state_of "$file")|None"; done ;;
scontrol)
    case $* in
        *'show job'*) for job in "$@"; do :; done; echo "JobId=$job ExitCode=$(cat "$FAKE/jobs/$job.code"):0" ;;
        *) echo 'NodeName=arm Arch=sparc64 CPUs=1' ;;
    esac ;;
scancel) echo "$*" >> "$FAKE/cancelled" ;;
*) exit 1 ;;
esac
