#!/bin/sh
# Installs libfaketime in an image on Debian or Alpine and makes it known at one
# place, whatever the distribution and the machine.
set -eu

if command -v apk >/dev/null; then
	apk add --no-cache libfaketime
elif command -v apt-get >/dev/null; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libfaketime
	rm -rf /var/lib/apt/lists/*
else
	echo "the base has neither apk nor apt-get: take an nginx image on Debian or Alpine" >&2
	exit 1
fi

place=/usr/lib/faketime/libfaketime.so.1
for found in "$place" /usr/lib/*/faketime/libfaketime.so.1; do
	[ -e "$found" ] || continue
	mkdir -p "${place%/*}"
	[ "$found" = "$place" ] || ln -s "$found" "$place"
	exit 0
done
echo "libfaketime was installed, but there is no libfaketime.so.1 in /usr/lib" >&2
exit 1
