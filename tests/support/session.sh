#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# session.sh COMMAND...: runs it in a desktop session of its own: private D-Bus, PipeWire with a null sink
# `tactus-test-sink`, an X server, and folders for its configuration, caches and temporary files. Nothing of the caller's
# session is touched, and all of it ends with the command. Only the sample film is the caller's (TACTUS_FILM).
set -uo pipefail

if [ -z "${TACTUS_SESSION_INNER:-}" ]; then
  directory=$(mktemp -d "${TMPDIR:-/tmp}/tactus-session.XXXXXX")
  trap 'rm -rf "$directory"' EXIT
  chmod 700 "$directory"
  export XDG_RUNTIME_DIR=$directory XDG_CONFIG_HOME=$directory/config XDG_STATE_HOME=$directory/state
  export TACTUS_FILM=${TACTUS_FILM:-${XDG_CACHE_HOME:-$HOME/.cache}/tactus/cockatoo.mp4}
  export XDG_DATA_HOME=$directory/data XDG_CACHE_HOME=$directory/cache TMPDIR=$directory/tmp
  export PIPEWIRE_RUNTIME_DIR=$directory
  export LC_ALL=C.UTF-8 TZ=UTC
  mkdir -p "$XDG_CONFIG_HOME" "$XDG_STATE_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME" "$TMPDIR"
  # A desktop's portal that is installed is not started by whoever asks for one: tests of it start their own.
  mkdir -m 700 "$directory/dbus-1" "$directory/dbus-1/services"
  printf '[D-BUS Service]\nName=org.freedesktop.portal.Desktop\nExec=/bin/false\n' \
    >"$directory/dbus-1/services/org.freedesktop.portal.Desktop.service"
  # GStreamer's registry of plugins is made once here, and not by the first test that waits for a film.
  export GST_REGISTRY=$directory/registry.bin
  gst-inspect-1.0 fakesink >/dev/null 2>&1
  export TACTUS_SESSION_INNER=1 NO_AT_BRIDGE=1
  dbus-run-session -- "$0" "$@" 2> >(grep -v 'Failed to set fd limit' >&2)
  exit $?
fi
unset TACTUS_SESSION_INNER

pids=()
finish() {
  kill "${pids[@]}" 2>/dev/null
  wait "${pids[@]}" 2>/dev/null
}
trap finish EXIT

# A probe that hangs is one that fails. What did not start in a minute ends the session: tests without it would be skipped.
wait_for() {
  local end=$((SECONDS + 60))
  while [ $SECONDS -lt $end ]; do
    timeout 5 bash -c "$1" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "session: $2 did not start" >&2
  tail -n 5 "$XDG_RUNTIME_DIR"/*.log >&2
  exit 1
}

pipewire >"$XDG_RUNTIME_DIR/pipewire.log" 2>&1 &
pids+=($!)
wait_for '[ -S "$XDG_RUNTIME_DIR/pipewire-0" ]' PipeWire
wireplumber >"$XDG_RUNTIME_DIR/wireplumber.log" 2>&1 &
pids+=($!)
pipewire-pulse >"$XDG_RUNTIME_DIR/pulse.log" 2>&1 &
pids+=($!)
wait_for '[ -S "$XDG_RUNTIME_DIR/pulse/native" ] && pactl info' "PipeWire's PulseAudio server"
timeout 60 pactl load-module module-null-sink sink_name=tactus-test-sink >/dev/null
wait_for 'pactl list short sinks | grep -q tactus-test-sink' 'the null sink'
wait_for 'pactl set-default-sink tactus-test-sink && [ "$(pactl get-default-sink)" = tactus-test-sink ]' 'the default sink'

exec 9<>"$XDG_RUNTIME_DIR/display"
Xvfb -displayfd 9 -screen 0 1280x800x24 -nolisten tcp -noreset >"$XDG_RUNTIME_DIR/xvfb.log" 2>&1 9>&9 &
pids+=($!)
wait_for '[ -s "$XDG_RUNTIME_DIR/display" ]' Xvfb
DISPLAY=:$(head -n 1 "$XDG_RUNTIME_DIR/display")
export DISPLAY
wait_for 'xdpyinfo' 'the X server'  # its number comes before it listens
unset WAYLAND_DISPLAY
exec 9>&-

"$@"
