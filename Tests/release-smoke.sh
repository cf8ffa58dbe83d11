#!/bin/bash
# Runs the command of an optimised build through what people do with it: `make test` builds without optimisation, and
# some faults of compiled code show only with it.
#
#     Tests/release-smoke.sh DIRECTORY-OF-THE-BINARIES
set -euo pipefail

reeve=$1/reeve
home=$(mktemp -d)
export HOME=$home REEVE_SOCKET=$home/run/agent.sock SWIFT_BACKTRACE=enable=no
unset XDG_RUNTIME_DIR XDG_STATE_HOME REEVE_AGENT
agent=
finish() {
    if [[ -n $agent ]] && kill -0 "$agent" 2>/dev/null; then
        kill -KILL "$agent"
        wait "$agent" 2>/dev/null || true
    fi
    rm -rf "$home"
}
trap finish EXIT
cd "$home"

fail() {
    echo "release-smoke: $*" >&2
    cat agent.out >&2 2>/dev/null || true
    exit 1
}

# expect WHAT COMMAND…: the command succeeds and prints exactly that.
expect() {
    local wanted=$1 found
    shift
    found=$("$@" 2>&1) || fail "$*: status $?: $found"
    [[ $found == "$wanted" ]] || fail "$*: expected «$wanted», found «$found»"
}

"$reeve" agent >agent.out 2>&1 &
agent=$!
for _ in {1..200}; do
    "$reeve" status >/dev/null 2>&1 && break
    kill -0 "$agent" 2>/dev/null || fail "the agent ended"
    sleep 0.05
done

for ((i = 0; i < 5000; i++)); do
    printf '{"id": %d, "name": "name %d", "even": %s, "share": %d.5, "tags": ["a", "t%d"]}\n' \
        $i $((i % 100)) $(((i % 2) == 0 ? 1 : 0)) $i $((i % 7))
done | sed 's/"even": 1/"even": true/; s/"even": 0/"even": false/' >objects.json
expect "5000 created, 0 changed in Thing" "$reeve" import a.realm Thing objects.json --key id --batch 700

query() { "$reeve" query a.realm Thing "$@"; }
expect 5000 query --count
expect 50 query "name == 'name 42'" --count
expect 550 query "name BEGINSWITH 'name 4'" --count
expect 950 query "name CONTAINS[c] 'E 4' OR name ENDSWITH '4'" --count
expect 500 query "name LIKE 'name ?'" --count
expect 2500 query "even == true" --count
expect 11 query "share > 99 AND share < 109.6 AND id >= 99" --count
expect 714 query "ANY tags == 't3'" --count
expect '{"$key":4999,"id":4999}' query "id > 10" --sort id:desc --limit 1 --properties id --json
expect '{"$key":98,"id":98,"name":"name 98"}' query "name < 'name 99'" --sort name:desc --sort id --limit 1 \
    --properties id,name --json
expect 100 query "TRUEPREDICATE" --distinct name --count
"$reeve" explain a.realm Thing "name == 'name 42' AND id > 7" --sort name >/dev/null || fail "explain"

"$reeve" watch a.realm Thing "name == 'new'" --changes 2 --json >watched 2>&1 &
watcher=$!
for _ in {1..200}; do
    [[ $("$reeve" status --json) == *'"subscriptions":1'* ]] && break
    sleep 0.05
done
expect created "$reeve" put a.realm Thing '{"id": 9001, "name": "new", "even": true, "share": 1, "tags": []}'
expect "1 deleted" "$reeve" delete a.realm Thing 9001
wait "$watcher" || fail "watch: status $?: $(cat watched)"
[[ $(grep -c '"count":[01]' watched) == 2 ]] || fail "watched: $(cat watched)"

"$reeve" export a.realm Thing >exported.json || fail "export"
expect "5000 created, 0 changed in Thing" "$reeve" import b.realm Thing exported.json --key id
expect "$("$reeve" hash a.realm)" "$reeve" hash b.realm
expect "2500 deleted" "$reeve" delete b.realm Thing --where "even == false"
[ "$("$reeve" hash a.realm)" != "$("$reeve" hash b.realm)" ] || fail "hash: realms that differ have one"
"$reeve" compact b.realm >/dev/null || fail "compact"
for realm in a b; do "$reeve" verify $realm.realm >verified || fail "verify: $(cat verified)"; done
expect 2500 "$reeve" query b.realm Thing --count

"$reeve" shutdown || fail "shutdown"
wait "$agent" || fail "the agent ended with status $?"
agent=
expect 2500 "$reeve" query b.realm Thing --count
"$reeve" shutdown || fail "the second shutdown"
echo "release-smoke: well"
