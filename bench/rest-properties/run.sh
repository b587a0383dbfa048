#!/bin/sh
# Random requests made from /v1/openapi.json, against a server that runs: see README.md beside this file.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: $0 http://HOST:PORT CREDENTIALS-FILE [options of schemathesis]" >&2
    exit 2
fi
url=$1
. "$2"
shift 2
exec schemathesis run "$url/v1/openapi.json" --auth "$accessKey:$secretKey" --checks all --max-examples 120 \
    --continue-on-failure "$@"
