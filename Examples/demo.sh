#!/usr/bin/env bash
# The main job, for real: an agent, several client processes on one realm, two kinds of kill -9, and a check.
# Usage: Examples/demo.sh BIN-DIRECTORY (where `reeve` and `demo-client` are). Everything happens in a temporary home.
set -euo pipefail

bin=$(cd "$1" && pwd)
home=$(mktemp -d "${TMPDIR:-/tmp}/reeve-demo.XXXXXX")
export HOME=$home XDG_RUNTIME_DIR=$home/run REEVE_AGENT=$bin/reeve PATH=$bin:$PATH SWIFT_BACKTRACE=enable=no
unset REEVE_SOCKET XDG_STATE_HOME XDG_DATA_HOME
mkdir -m 700 "$XDG_RUNTIME_DIR"
realm=$home/places.realm
data=/usr/share/iso-codes/json/iso_3166-2.json
failed=()
writers=()

finish() {
    local status=$?
    jobs -p | xargs -r kill -9 2>/dev/null || true
    reeve shutdown >/dev/null 2>&1 || true
    for device in north south; do
        HOME=$home/$device XDG_RUNTIME_DIR=$home/$device/run reeve shutdown >/dev/null 2>&1 || true
    done
    rm -rf "$home"
    exit "$status"
}
trap finish EXIT

step() { printf '\n\033[1m== %s\033[0m\n' "$1" | if [[ -t 1 ]]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
check() { # check DESCRIPTION COMMAND...
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed+=("$what"); fi
}
agent_pid() { reeve status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])'; }
wait_for_line() { # wait_for_line FILE PATTERN SECONDS
    local deadline=$((SECONDS + $3))
    until grep -q "$2" "$1" 2>/dev/null; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}
acknowledged() { grep -c '^acknowledged' "$1" || true; }

step "starting the agent"
reeve agent --daemon
reeve status

step "importing ISO 3166-2 from $data"
reeve import "$realm" Subdivision "$data" --at 3166-2 --key code
reeve ls "$realm"
reeve query "$realm" Subdivision 'type == "Province" AND code BEGINSWITH "IT-"' --limit 3

step "three processes: one writes, one watches a query, one reads aggregates"
demo-client "$realm" write ada 3000 >"$home/ada.log" &
writers+=($!)
demo-client "$realm" watch IT- 6 >"$home/watch.log" &
watcher=$!
demo-client "$realm" read 6 >"$home/read.log" &
reader=$!
check "the writer gets acknowledgements" wait_for_line "$home/ada.log" '^acknowledged' 20

step "killing a writer in the middle of a transaction"
demo-client "$realm" stall mallory >"$home/mallory.log" &
stalled=$!
check "the other writer is inside its transaction" wait_for_line "$home/mallory.log" '^half-way' 20
before=$(acknowledged "$home/ada.log")
kill -9 "$stalled"
wait "$stalled" 2>/dev/null || true
sleep 0.5
check "writing goes on after it was killed" test "$(acknowledged "$home/ada.log")" -gt "$before"

step "killing the agent"
old=$(agent_pid)
kill -9 "$old"
before=$(acknowledged "$home/ada.log")
demo-client "$realm" write grace 500 >"$home/grace.log" &
writers+=($!)
check "a client starts it again" wait_for_line "$home/grace.log" '^acknowledged' 20
check "it is another process" test "$(agent_pid)" != "$old"

step "letting everybody finish"
for pid in "${writers[@]}"; do check "writer $pid ends well" wait "$pid"; done
check "the watcher ends well" wait "$watcher"
check "the reader ends well" wait "$reader"
tail -n 3 "$home/watch.log"
tail -n 2 "$home/read.log"

step "checking"
check "nobody saw half a transaction" sh -c "! grep WRONG '$home/watch.log' '$home/read.log'"
check "no half transaction of the killed writer is there" \
    test "$(reeve query "$realm" Visit 'writer == "mallory"' --count)" = 0
check "every acknowledged write is there, once and whole" demo-client "$realm" check "$home/ada.log" "$home/grace.log"
check "the file is sound" reeve verify "$realm"
total=$(($(acknowledged "$home/ada.log") + $(acknowledged "$home/grace.log")))
reeve status

step "a server, and two devices: each has an agent, a writer and a watcher"
port=$((20000 + RANDOM % 20000))
server=http://127.0.0.1:$port
start_server() { # start_server: waits until it listens
    reeve server --development --data "$home/server" --listen 127.0.0.1:$port 2>"$home/server.log" &
    server_pid=$!
    wait_for_line "$home/server.log" event=server.listening 20
}
on() { # on DEVICE COMMAND...: as a process of that device
    local device=$home/$1
    shift
    HOME=$device XDG_RUNTIME_DIR=$device/run "$@"
}
for device in north south; do mkdir -p "$home/$device" && mkdir -m 700 "$home/$device/run"; done
check "the server listens" start_server
on north demo-client "$server" device-write nora 200 >"$home/nora.log" &
nora=$!
on south demo-client "$server" device-write sam 200 >"$home/sam.log" &
sam=$!
on north demo-client "$server" device-watch 600 90 >"$home/north.log" &
north=$!
on south demo-client "$server" device-watch 600 90 >"$home/south.log" &
south=$!
check "the devices write" wait_for_line "$home/sam.log" '^acknowledged' 20

step "killing the server while they write"
kill -9 "$server_pid"
wait "$server_pid" 2>/dev/null || true
for pid in "$nora" "$sam"; do check "writer $pid ends well without a server" wait "$pid"; done
on north demo-client "$server" device-write nora 100 >>"$home/nora.log"
on south demo-client "$server" device-write sam 100 >>"$home/sam.log"
check "the watchers know their files" wait_for_line "$home/south.log" '^realm' 20
north_realm=$(sed -n 's/^realm //p' "$home/north.log")
south_realm=$(sed -n 's/^realm //p' "$home/south.log")
on north reeve queue "$north_realm" --limit 3 || true
check "what was written offline waits" sh -c "! HOME=$home/north XDG_RUNTIME_DIR=$home/north/run reeve queue '$north_realm' --limit 0 >/dev/null"

step "the server is back"
check "the server listens again" start_server
on north reeve sync reconnect "$north_realm"
on south reeve sync reconnect "$south_realm"
check "all 600 visits are in the north" wait "$north"
check "all 600 visits are in the south" wait "$south"
tail -n 1 "$home/north.log" "$home/south.log"
check "the queue of the north is empty" on north reeve queue "$north_realm"
check "the queue of the south is empty" on south reeve queue "$south_realm"
on north reeve shutdown >/dev/null
on south reeve shutdown >/dev/null
kill "$server_pid"
check "the server ends well" wait "$server_pid"
synced=$(cat "$home/nora.log" "$home/sam.log" | grep -c '^acknowledged')

echo
if ((${#failed[@]})); then
    echo "DEMO FAILED: ${failed[*]}"
    exit 1
fi
echo "demo passed: $total acknowledged transactions of 2 writers survived kill -9 of a writer and of the agent; no half transaction, file verified."
echo "demo passed: $synced transactions of 2 devices, some of them made offline, met after kill -9 of the server; both devices have all of them."
