# Files, programs and repositories that the lines of shown.txt name, made in the folder of a laboratory.

# A program that writes down what it is given, and prints a figure.
probe() {
    cat >probe <<END
#!/bin/sh
log=$PWD/probe.log
END
    cat >>probe <<'END'
{
    echo "arguments $*"
    echo "folder $PWD"
    echo "variables ${SEEN-none}"
    read -r line; echo "input $line"
    read -r stat </proc/self/stat; set -- $stat
    echo "nice ${19} policy ${41}"
    read -r personality </proc/self/personality; echo "personality $personality"
} 2>/dev/null >>"$log"
echo "size: 7 ns"
echo "weiß: 8 ns"
echo "a figure"
END
    chmod +x probe
}

files() {
    mkdir below
    echo something >input
    printf '[[command]]\ncommand = "%s/probe"\n[[command]]\ncommand = "%s/probe 2"\n' "$PWD" "$PWD" >saved.toml
    printf '[[command]]\ncommand = "%s/probe"\n' "$PWD" >one.toml
    printf '[condition]\nshell = true\n' >shell.toml
    printf 'size: 7 ns\nweight: 8 ns\n' >two.txt
    echo 'size: 7 ns' >old.txt
    echo 'size: 70 ns' >new.txt
}

# A program that computes for some tenths of a second.
spin() {
    cat >spin.c <<'END'
volatile int n;
__attribute__((noinline)) void work(void) { for (n = 0; n < 90000000; ++n); }
int main(void) { work(); return 0; }
END
    cc -g -O1 -fno-omit-frame-pointer -o spin spin.c
}

# Two revisions of a program, and a merge of a branch.
repository() {
    git init -q -b main repository
    cd repository
    git config user.name n
    git config user.email e
    for seconds in 0.001 0.02; do
        printf '#!/bin/sh\nexec sleep %s\n' $seconds >program
        chmod +x program
        git add -A
        git commit -qm $seconds
    done
    git checkout -q -b side HEAD~1
    git commit -q --allow-empty -m side
    git checkout -q main
    git merge -q --no-ff -m merge side
    printf '[[command]]\ncommand = "./program"\n' >program.toml
}

# A lab whose claim holds, one whose claim does not, and one with an option.
labs() {
    for lab in one not set; do
        mkdir -p labs/$lab
        echo '# a lab that was made up' >labs/$lab/README.md
        cat >labs/$lab/lab.toml <<'END'
question = 'Is it?'
source = 'nobody'
machine = 'any'
[[experiment]]
name = 'number'
run = """echo '{"n": [1.1, 1.2, 1.3, 1.4, 1.5, 1.6]}'"""
[[experiment]]
name = 'runs'
line = 'run true -r 2'
[[claim]]
name = 'number'
published = { statement = 'it is ä', unit = 'times', low = 1.0, high = 2.0, spread = 'chosen', direction = 'above', than = 1.0 }
measured = { experiment = 'number', value = '/n' }
END
    done
    sed -i '/^run/s/1[.]/3./g' labs/not/lab.toml
    sed -i "s/1.1, 1.2, 1.3, 1.4, 1.5, 1.6/{n}, {n}, {n}, {n}, {n}, {n}/" labs/set/lab.toml
    printf "[option.n]\nabout = 'a number'\ndefault = '1.5'\n" >>labs/set/lab.toml
}

# A made-up machine to tune, and a folder for a journal.
machine() {
    rm -rf machine state
    mkdir -m 700 state
    set_to 0a proc/sys/kernel/random/boot_id
    set_to powersave sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    for file in proc/sys/kernel/nmi_watchdog proc/sys/vm/stat_interval sys/devices/system/cpu/cpufreq/boost; do
        set_to 1 $file
    done
    set_to 'always [madvise] never' sys/kernel/mm/transparent_hugepage/enabled
    set_to 0-1 sys/devices/system/cpu/online
    set_to 1 sys/devices/system/cpu/cpu0/online
    set_to 1 sys/devices/system/cpu/cpu1/online
}

set_to() {
    mkdir -p "machine/$(dirname "$2")"
    echo "$1" >"machine/$2"
}

# The manifest of a run over two nodes, its order, and the log of a node.
manifest() {
    "$FAUXPLAT" fleet emit kubernetes --image x --nodes 1 -r 2 true >manifest.json
    tr -d '\n' <manifest.json | sed 's/.*"args": *\[\([^]]*\)\].*/\1/' | tr -d '",' >words
    FAUXPLAT_NODE=node-ä "$FAUXPLAT" $(cat words) >node-ä.log
    cat >order.json <<END
{"schema":"fauxplat.node-order/1","fauxplat_version":"$("$FAUXPLAT" --version | cut -d ' ' -f 2)","fleet":"f","node":"n1",
"plan":{"definition_sha256":"ab","seed":7},"attempt":1,"definition":{"command":[{"command":"echo 7"}],"runs":"3"},"answers":false}
END
}

# A run over two nodes, of which one tells of another kernel: each line has its checksum.
facts() {
    "$FAUXPLAT" fleet run --on local:2 -r 2 true >said 2>&1
    for journal in fleet/*/journal; do
        while read -r _ line; do
            case $line in
                *'"node":"local-2"'*) line=$(printf %s "$line" | sed 's/"kernel":"[^"]*"/"kernel":"ä"/') ;;
            esac
            printf '%s %s\n' "$(printf %s "$line" | gzip -c | tail -c 8 | od -An -tx4 -N4 | tr -d ' ')" "$line"
        done <"$journal" >changed
        mv changed "$journal"
    done
}

# Sessions of one benchmark.
sessions() {
    for session in 1 2 3 4; do "$FAUXPLAT" run -n one true -r 3 >said; done
}
