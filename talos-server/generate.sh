#!/usr/bin/env bash
# Regenerates talos-server/src/generated/java, the messages between servers, from the IDL with the thrift compiler 0.17.0
# of Debian's package thrift-compiler.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "$0")" > /dev/null
out=src/generated/java
rm -rf "$out"
mkdir -p "$out"
thrift -strict --gen java:private_members,unsafe_binaries,generated_annotations=suppress \
    -I ../talos-common/src/main/thrift -out "$out" src/main/thrift/transfer.thrift
