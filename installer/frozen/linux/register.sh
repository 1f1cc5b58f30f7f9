#!/bin/sh
# Enters Joinery into this user's menu, with its icon and file types; `register.sh remove` takes them out again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
share=${XDG_DATA_HOME:-$HOME/.local/share}
desktop=$share/applications/joinery.desktop
icon=$share/icons/hicolor/scalable/apps/joinery.svg
types=$share/mime/packages/joinery.xml
if [ "${1:-}" = remove ]; then
    rm -f "$desktop" "$icon" "$types"
else
    mkdir -p "$(dirname "$desktop")" "$(dirname "$icon")" "$(dirname "$types")"
    program=$(printf '%s' "$here/joinery" | sed 's/[\\&|]/\\&/g')
    sed "s|@PROGRAM@|$program|" "$here/share/joinery.desktop" >"$desktop"
    cp "$here/share/joinery.svg" "$icon"
    cp "$here/share/joinery.xml" "$types"
fi
if command -v update-mime-database >/dev/null; then update-mime-database "$share/mime"; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$share/applications"; fi
