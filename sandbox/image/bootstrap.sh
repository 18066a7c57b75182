#!/usr/bin/env bash
# Makes the sandbox's file system from Debian packages, for a machine that reaches no container registry.
#   usage: bootstrap.sh SUITE PACKAGES TAR     PACKAGES separated by commas; needs root on a Debian system
#   env:   DEBIAN_MIRROR   the suite's usual mirror when empty
set -euo pipefail
suite=$1 packages=$2 tar=$3
[ "$(id -u)" = 0 ] || { echo "bootstrap needs root" >&2; exit 2; }
if ! command -v mmdebstrap >/dev/null; then
  command -v apt-get >/dev/null || { echo "bootstrap needs mmdebstrap or a Debian system" >&2; exit 2; }
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends mmdebstrap; } >/dev/null
fi
# times are clamped, so that the same packages give the same layer
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1700000000}
exec mmdebstrap --quiet --variant=minbase --mode=root --include="$packages" \
  --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='chroot "$1" useradd --uid 1000 --create-home --shell /bin/bash agent' \
  --customize-hook='chroot "$1" install -d -o agent -g agent /workspace /opt/venv' \
  --customize-hook='chroot "$1" setpriv --reuid 1000 --regid 1000 --clear-groups env -i HOME=/home/agent PATH=/usr/bin:/bin python3 -m venv /opt/venv' \
  --customize-hook='find "$1" -xdev -name __pycache__ -prune -exec rm -rf {} +' \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/log/* "$1"/tmp/* "$1"/etc/hostname "$1"/etc/resolv.conf; mkdir -p "$1"/var/cache/apt/archives/partial' \
  "$suite" "$tar" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
