#!/bin/bash
# Installs, packages and uninstalls the command of a build, and looks at what came out.
#
#     Tests/package-smoke.sh DIRECTORY-OF-THE-BINARIES
set -euo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
binary=$1/reeve
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() {
    echo "package-smoke: $*" >&2
    exit 1
}
make() { command make --no-print-directory -C "$source" "$@" >"$place/make.out" 2>&1 || fail "make $1: $(cat "$place/make.out")"; }

# Installing, and taking away again.
make install-files BINARY="$binary" DESTDIR="$place/tree" PREFIX=/opt/reeve
root=$place/tree/opt/reeve
[[ $("$root/bin/reeve" --version) == reeve\ * ]] || fail "the installed command doesn't run"
grep -q "ExecStart=/opt/reeve/bin/reeve agent" "$root/lib/systemd/user/reeve-agent.service" || fail "the unit's path"
bash -n "$root/share/bash-completion/completions/reeve" || fail "the completion for bash"
for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    find "$root/share/$shell" -type f -exec $shell -n {} \; || fail "the completion for $shell"
done
if command -v man >/dev/null; then
    complaints=$(MANWIDTH=120 LC_ALL=C.UTF-8 man --warnings -l "$source/contrib/man/reeve.1" 2>&1 >"$place/page") || true
    [[ -z $complaints ]] || fail "the manual: $complaints"
fi
if command -v systemd-analyze >/dev/null; then
    # The command must be where the units say.
    units=$place/units
    mkdir "$units"
    for unit in "$source"/contrib/systemd/*; do
        sed "s|/usr/local/bin/reeve|$root/bin/reeve|" "$unit" >"$units/${unit##*/}"
    done
    systemd-analyze verify --man=no --recursive-errors=no "$units"/*.service "$units"/*.socket 2>"$place/verify" || true
    ! grep -E "reeve-(agent|server)\.(service|socket):" "$place/verify" || fail "units: $(cat "$place/verify")"
fi
# The units name the place below PREFIX, which is elsewhere meanwhile.
sed -i "s|=/opt/reeve/bin/reeve|=$root/bin/reeve|" "$root"/lib/systemd/*/*.service
"$source/Tests/installed-smoke.py" "$root" || fail "the installed command"
find "$root" -type f | sed "s|$root/||" | sort >"$place/installed"
make uninstall DESTDIR="$place/tree" PREFIX=/opt/reeve
[[ -z $(find "$root" -type f) ]] || fail "uninstall leaves $(find "$root" -type f)"
[[ $(wc -l <"$place/installed") == 9 ]] || fail "installed: $(cat "$place/installed")"

# The package, and what dpkg makes of it.
if command -v dpkg-deb >/dev/null; then
    make deb-files BINARY="$binary" BUILD="$place/build"
    package=$(echo "$place"/build/*.deb)
    [[ $(dpkg-deb --field "$package" Package) == reeve ]] || fail "the package's name"
    dpkg-deb --field "$package" Depends | grep -q liblmdb0 || fail "it depends on $(dpkg-deb --field "$package" Depends)"
    if ((EUID == 0)); then
        admin=$place/dpkg
        mkdir -p "$place/root" "$admin"/{info,updates}
        : >"$admin/status"
        dpkg --root="$place/root" --admindir="$admin" --force-depends --force-not-root --no-triggers \
            --force-script-chrootless -i "$package" >"$place/dpkg.out" 2>&1 || fail "dpkg: $(cat "$place/dpkg.out")"
        [[ $("$place/root/usr/bin/reeve" --version) == reeve\ * ]] || fail "the packaged command doesn't run"
        dpkg --root="$place/root" --admindir="$admin" --force-depends --force-script-chrootless -P reeve \
            >"$place/dpkg.out" 2>&1 || fail "dpkg -P: $(cat "$place/dpkg.out")"
        [[ ! -e $place/root/usr/bin/reeve ]] || fail "the package stays"
    fi
fi
echo "package-smoke: well"
