#!/bin/sh
# Compares a change with its base in a CI job: installs fauxplat, measures both revisions side by side on this runner, and
# keeps one comment at the pull request up to date. `fauxplat init` copies this script into a project.
#
#   fauxplat.sh install    puts fauxplat into $FAUXPLAT_HOME, checked against its published checksum
#   fauxplat.sh measure    builds and compares both revisions; its exit status is that of the gate
#   fauxplat.sh summary    adds the report to the summary of the job
#   fauxplat.sh comment    writes the report into one comment, or says why it may not
#
# What it reads from the environment:
#   FAUXPLAT_FROM     folder or address with an archive, .deb or wheel of fauxplat and the file SHA256SUMS; without it,
#                     fauxplat has to be installed already
#   FAUXPLAT_FILE     name of the file there [default: the archive of this architecture]
#   FAUXPLAT_HOME     where it is installed [default: .fauxplat in the working directory]
#   FAUXPLAT_BASE     revision to compare with [default: the base of the pull or merge request, else HEAD~1]
#   FAUXPLAT_SUITE    file of benchmarks, or benchmark program [default: fauxplat.toml]
#   FAUXPLAT_OPTIONS  further options of `fauxplat suite`, such as --max-time 10m
#   FAUXPLAT_REPORT   folder for the reports [default: fauxplat-report]
#   FAUXPLAT_TOKEN    token that may comment; without it, and where it may not, the summary has the report
set -eu

home=${FAUXPLAT_HOME:-$PWD/.fauxplat}
report=${FAUXPLAT_REPORT:-fauxplat-report}
mark='<!-- fauxplat: this comment is updated by every run -->'

fail() {
    echo "fauxplat.sh: $*" >&2
    exit 2
}

say() {
    echo "fauxplat.sh: $*" >&2
}

# The file $1 from FAUXPLAT_FROM, as $2.
get() {
    case $FAUXPLAT_FROM in
    http://* | https://*) curl --fail --silent --show-error --location --retry 3 --output "$2" "$FAUXPLAT_FROM/$1" ;;
    *) cp -- "$FAUXPLAT_FROM/$1" "$2" ;;
    esac
}

install_fauxplat() {
    if [ -z "${FAUXPLAT_FROM:-}" ]; then
        command -v fauxplat > /dev/null ||
            fail "fauxplat is not installed here: set FAUXPLAT_FROM to a folder or an address with its archive and SHA256SUMS"
        return
    fi
    mkdir -p "$home"
    download=$(mktemp -d "$home/download.XXXXXX")
    trap 'rm -rf "$download"' EXIT
    get SHA256SUMS "$download/SHA256SUMS"
    file=${FAUXPLAT_FILE:-$(awk -v machine="-$(uname -m)-" '{ sub(/^[*]/, "", $2) } index($2, machine) && /[.]tar[.]gz$/ { print $2; exit }' "$download/SHA256SUMS")}
    [ -n "$file" ] || fail "SHA256SUMS of $FAUXPLAT_FROM names no archive for $(uname -m): set FAUXPLAT_FILE"
    awk -v file="$file" '{ sub(/^[*]/, "", $2) } $2 == file { print $1 "  " $2 }' "$download/SHA256SUMS" > "$download/sum"
    [ -s "$download/sum" ] || fail "SHA256SUMS of $FAUXPLAT_FROM does not name $file"
    get "$file" "$download/$file"
    (cd "$download" && sha256sum --check --quiet sum) || fail "$file is not what SHA256SUMS says: nothing was installed"
    case $file in
    *.tar.gz) tar -xzf "$download/$file" -C "$home" --strip-components 1 ;;
    *.deb) dpkg-deb --extract "$download/$file" "$home" ;;
    *.whl) python3 -m venv "$home" && "$home/bin/pip" install --quiet --no-index "$download/$file" ;;
    *) fail "$file is no archive (.tar.gz), .deb or wheel of fauxplat" ;;
    esac
    "$(program)" --version
    [ -z "${GITHUB_PATH:-}" ] || dirname "$(program)" >> "$GITHUB_PATH"
}

# The installed program, or else that of the PATH.
program() {
    for found in "$home/bin/fauxplat" "$home/usr/bin/fauxplat" "$home/fauxplat"; do
        if [ -x "$found" ]; then
            echo "$found"
            return
        fi
    done
    command -v fauxplat || fail "fauxplat is not installed here: fauxplat.sh install comes first"
}

measure() {
    base=${FAUXPLAT_BASE:-${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}}
    if [ -z "$base" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then
        base=origin/$GITHUB_BASE_REF
    fi
    mkdir -p "$report"
    status=0
    # The options are words.
    # shellcheck disable=SC2086
    "$(program)" suite --commits "${base:-HEAD~1},HEAD" --merge-base ${FAUXPLAT_OPTIONS:-} \
        --export "markdown=$report/report.md" --export "html=$report/report.html" \
        --export "junit=$report/junit.xml" --export "json=$report/report.json" \
        "${FAUXPLAT_SUITE:-fauxplat.toml}" || status=$?
    echo "$status" > "$report/status"
    return "$status"
}

# The text of the comment, in at most $1 bytes: services refuse more.
body() {
    [ -s "$report/report.md" ] || fail "$report/report.md is not there: fauxplat.sh measure writes it"
    echo "$mark"
    head -c "$1" "$report/report.md"
    [ "$(wc -c < "$report/report.md")" -le "$1" ] || printf '\n\n… the whole report is in the artifacts of this job.\n'
}

summary() {
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        body 900000 >> "$GITHUB_STEP_SUMMARY"
    else
        body 900000
    fi
}

# Sends a request with method $1 to $2; the answer's status is printed and its body is in $answer. Further words go to curl.
request() {
    method=$1 url=$2
    shift 2
    curl --silent --show-error --retry 2 --max-time 60 --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$url" ||
        echo 000
}

# What a status of the service means for the comment.
told() {
    case $1 in
    2??) say "the comment is ${2:-there}" ;;
    401 | 403 | 404) say "the service does not let this job comment (status $1), as for changes from forks: the report is in the summary and in the artifacts" ;;
    *) say "the service answered with status $1: there is no comment; the report is in the summary and in the artifacts" ;;
    esac
}

comment() {
    if [ -z "${FAUXPLAT_TOKEN:-}" ]; then
        say "there is no token (FAUXPLAT_TOKEN), as for changes from forks: the report is in the summary and in the artifacts"
        return
    fi
    command -v jq > /dev/null || fail "jq is missing, which reads the comments that are there"
    work=$(mktemp -d)
    answer=$work/answer
    trap 'rm -rf "$work"' EXIT
    if [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
        body 900000 > "$work/body"
        comment_gitlab
    elif [ -n "${GITHUB_REPOSITORY:-}" ] && [ -n "${FAUXPLAT_PULL:-}" ]; then
        body 60000 > "$work/body"
        comment_github
    else
        say "this job belongs to no pull or merge request: the report is in the summary and in the artifacts"
    fi
}

comment_github() {
    api=${GITHUB_API_URL:?}/repos/$GITHUB_REPOSITORY/issues
    service() {
        request "$@" --header "Authorization: Bearer $FAUXPLAT_TOKEN" --header 'Accept: application/vnd.github+json'
    }
    jq --raw-input --slurp '{body: .}' < "$work/body" > "$work/json"
    keep "$api/$FAUXPLAT_PULL/comments" PATCH "$api/comments" --data "@$work/json"
}

comment_gitlab() {
    notes=${CI_API_V4_URL:?}/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
    service() {
        request "$@" --header "PRIVATE-TOKEN: $FAUXPLAT_TOKEN"
    }
    keep "$notes" PUT "$notes" --data-urlencode "body@$work/body"
}

# Changes the comment of an earlier run, or writes the first one. $1 lists all comments and takes a new one; method $2 at $3
# changes one; the other words are the text, for curl.
keep() {
    all=$1 change=$2 each=$3
    shift 3
    page=1 id=
    while [ -z "$id" ]; do
        status=$(service GET "$all?per_page=100&page=$page")
        case $status in 2??) ;; *) told "$status" && return ;; esac
        id=$(jq --raw-output --arg mark "$mark" 'map(select(.body | startswith($mark))) | .[0].id // empty' "$answer")
        [ "$(jq length "$answer")" -eq 100 ] || break
        page=$((page + 1))
    done
    if [ -n "$id" ]; then
        told "$(service "$change" "$each/$id" "$@")" updated
    else
        told "$(service POST "$all" "$@")" new
    fi
}

case ${1:-} in
install) install_fauxplat ;;
measure) measure ;;
summary) summary ;;
comment) comment ;;
*) fail "say install, measure, summary or comment" ;;
esac
