#!/usr/bin/env bash
# Regenerates talos-common/src/generated/java from the IDL with the thrift compiler 0.17.0 of Debian's package
# thrift-compiler. Only types and constants are kept: calls are read and written by our own envelope, so the generated
# service classes, which tie the code to libthrift 0.20 and older, are left out, and so is what without-java.txt names.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "$0")" > /dev/null
out=src/generated/java
rm -rf "$out"
mkdir -p "$out"
for idl in src/main/thrift/*.thrift; do
    thrift -strict --gen java:private_members,unsafe_binaries,generated_annotations=suppress -out "$out" "$idl"
done
for service in $(grep -ho '^service [A-Za-z]*' src/main/thrift/*.thrift | cut -d' ' -f2); do
    rm "$out/org/talos/thrift/$service.java"
done
grep -v '^#' src/main/thrift/without-java.txt | while read -r name; do
    rm "$out/org/talos/thrift/$name.java"
done
