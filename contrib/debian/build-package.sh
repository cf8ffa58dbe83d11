#!/bin/bash
# Makes a Debian package of an installed tree, with nothing but dpkg-deb.
#
#     contrib/debian/build-package.sh TREE VERSION OUTPUT.deb
#
# TREE is what `make install DESTDIR=TREE PREFIX=/usr` has made. Which packages it needs is read from the libraries that
# the command is linked to.
set -euo pipefail

tree=$1 version=$2 output=$3

# The packages that have the libraries, with the installed versions as the least.
dependencies() {
    ldd "$tree/usr/bin/reeve" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
        # dpkg may know the file by the name before /usr was merged, or after.
        real=$(readlink -f "$library")
        dpkg-query -S "$library" "$real" "${real#/usr}" "/usr$library" 2>/dev/null | head -1 | cut -d: -f1 || true
    done | sort -u | while read -r package; do
        [[ -n $package ]] || continue
        # Versions of this release's own making, such as +deb12u3, come back without what follows.
        dpkg-query -W -f='${Package} (>= ${source:Upstream-Version})\n' "$package" | head -1
    done | paste -sd, | sed 's/,/, /g'
}

mkdir -p "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<EOF
Package: reeve
Version: $version
Section: database
Priority: optional
Architecture: $(dpkg --print-architecture)
Maintainer: Reeve <reeve@localhost>
Depends: $(dependencies)
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Description: realms shared between processes, and synced
 Reeve keeps object databases (realms) that any number of programs of one user
 have open at once, and syncs them with a server. The package has the command:
 agent, sync server, and tools to look at realms.
EOF
cat >"$tree/DEBIAN/postinst" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    # Every user's agent is started by its socket.
    systemctl --global enable reeve-agent.socket || true
fi
EOF
cat >"$tree/DEBIAN/prerm" <<'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl --global disable reeve-agent.socket || true
    systemctl stop reeve-server.service || true
fi
EOF
cat >"$tree/DEBIAN/postrm" <<'EOF'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
EOF
chmod 755 "$tree/DEBIAN/"{postinst,prerm,postrm}
dpkg-deb --root-owner-group --build "$tree" "$output"
