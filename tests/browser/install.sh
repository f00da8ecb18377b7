#!/bin/sh
# Debian's Chromium, if there is none yet. Needs root.
set -eu
command -v chromium >/dev/null && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; }
