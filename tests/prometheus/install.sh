#!/bin/sh
# Debian's prometheus, promtool and prometheus-pushgateway, if there are none yet. Needs root.
# The programs alone, out of their packages: installed, these would start services that listen on every address.
set -eu
command -v prometheus promtool prometheus-pushgateway >/dev/null && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq prometheus prometheus-pushgateway >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get download -qq prometheus prometheus-pushgateway >/dev/null; }
for package in *.deb; do
    dpkg-deb --extract "$package" .
done
install usr/bin/prometheus usr/bin/promtool usr/bin/prometheus-pushgateway /usr/local/bin/
