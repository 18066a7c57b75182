#!/usr/bin/env bash
# Makes a Docker engine answer on this machine (root on Debian). Does nothing when one answers already.
#   usage: docker-engine.sh
#   env:   ENGINE_WAIT   seconds to wait for it (default 60)
# Prints one line when it is ready; exit 2 where it cannot work, 1 when the engine fails.
set -euo pipefail

socket=/var/run/docker.sock
wait_seconds=${ENGINE_WAIT:-60}
say() { echo "docker-engine: $*" >&2; }
answers() { curl -fsS -m 3 --unix-socket "$socket" http://engine/_ping 2>/dev/null | grep -q OK; }
ready() { say "ready at unix://$socket"; exit 0; }

if command -v curl >/dev/null && answers; then ready; fi
[ "$(id -u)" = 0 ] || { say "no engine answers, and starting one needs root: start Docker, or set DOCKER_HOST"; exit 2; }

# of two callers one installs and starts, the other waits for it
exec 9>/var/lock/ml-agent-docker-engine; flock -w 300 9

missing=()
command -v dockerd >/dev/null || missing+=(docker.io)
command -v iptables >/dev/null || missing+=(iptables)
command -v curl >/dev/null || missing+=(curl ca-certificates)
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || { say "missing: ${missing[*]} (this script installs them on Debian only)"; exit 2; }
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  policy=/usr/sbin/policy-rc.d made_policy=
  # without it the package would try to start the service itself, which needs systemd
  if [ ! -e $policy ]; then printf '#!/bin/sh\nexit 101\n' >$policy; chmod +x $policy; made_policy=1; fi
  log=$(mktemp)
  code=0
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 || code=$?
  [ -z "$made_policy" ] || rm -f $policy
  [ $code = 0 ] || { say "apt-get failed:"; tail -5 "$log" >&2; exit 1; }
  rm -f "$log"
fi
if answers; then ready; fi

# the bridge takes the uplink's packet size: a larger one can stall downloads
device=$(awk '$2 == "00000000" {print $1; exit}' /proc/net/route)
mtu=$(cat "/sys/class/net/${device:-lo}/mtu" 2>/dev/null || echo 1500)
[ "$mtu" -le 1500 ] || mtu=1500
sysctl -qw net.ipv4.ip_forward=1 || true
log=$(mktemp /tmp/dockerd.XXXXXX.log)
# a session of its own: the engine outlives the terminal; 9>&-: it must not hold the lock
setsid dockerd -H "unix://$socket" --mtu "$mtu" --log-level warn --log-opt max-size=20m --log-opt max-file=2 \
  >"$log" 2>&1 </dev/null 9>&- &
engine=$!
deadline=$((SECONDS + wait_seconds))
until answers; do
  if ! kill -0 $engine 2>/dev/null; then say "the engine ended, log $log:"; tail -15 "$log" >&2; exit 1; fi
  if [ $SECONDS -ge $deadline ]; then say "not ready after ${wait_seconds} s, log $log:"; tail -15 "$log" >&2; exit 1; fi
  sleep 0.1
done
ready
