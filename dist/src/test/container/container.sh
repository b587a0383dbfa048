#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A container as docs/install.md has it, made of the kernel's namespaces alone. Its root and all that is in it can only
# be read, but for the volume and for /tmp, where no program may run. Its user is one whom no file names, without a home
# and without rights. The locale is C. Its network has one end of a cable, whose other end is this script's: the bridge.
# All of it ends with this script.
#
#   container.sh FOLDER
#
# FOLDER has an empty folder root, a folder volume, settings.sh (home, java, program, network, and of the image:
# image_environment, image_command, image_health), and script.sh, which is run with the functions below. Ends with 77,
# and the reason as the last line, where this machine lets nobody make such a container.
set -euo pipefail

folder=$1
root=$folder/root
volume=$folder/volume
cable=$folder/network
PATH=$PATH:/usr/sbin:/sbin

missing() {
    echo "no container can be made here: $*"
    exit 77
}

allowed() {
    "$@" || missing "refused: $*"
}

if [ "${2:-}" != inside ]; then
    for each in curl ip mount nsenter setpriv unshare; do
        command -v "$each" > /dev/null || missing "$each is not installed"
    done
    namespaces=(--mount --net --pid --fork --kill-child --mount-proc)
    [ "$(id -u)" = 0 ] || namespaces=(--user --map-root-user "${namespaces[@]}")
    allowed unshare "${namespaces[@]}" true
    exec unshare "${namespaces[@]}" bash "$0" "$folder" inside
fi

. "$folder/settings.sh"

# Shows a file or a folder of the machine in the image, to be read only.
show() {
    local at=$root${2:-$1}
    mkdir -p "${at%/*}"
    if [ -L "$1" ]; then
        cp -P "$1" "$at"
    elif [ -d "$1" ]; then
        mkdir "$at"
        allowed mount --rbind "$1" "$at"
        allowed mount -o remount,bind,ro "$at"
    elif [ -e "$1" ]; then
        cp "$1" "$at"
    fi
}

make_image() {
    local each
    allowed mount -t tmpfs -o mode=755 image "$root"
    for each in /bin /sbin /lib* /usr/{bin,sbin,lib*,share} /etc/{alternatives,java*,ssl,pki,crypto-policies,ld.so.cache}; do
        show "$each"
    done
    show "$java" /opt/java/openjdk
    show "$home" /opt/talos
    show "$program" /opt/program
    mkdir -p "$root"/{dev,etc/talos,proc,run,tmp,usr/local/bin,var/lib/talos}
    ln -s /opt/talos/bin/talos "$root/usr/local/bin/talos"
    cp "$home/conf/talos.yaml" "$root/etc/talos/"
    printf '%s\n' root:x:0:0::/root:/bin/sh talos:x:10001:10001::/var/lib/talos:/usr/sbin/nologin > "$root/etc/passwd"
    echo 'hosts: files' > "$root/etc/nsswitch.conf"
    printf '%s\n' '127.0.0.1 localhost' '::1 localhost' "${address%/*} $(uname -n)" > "$root/etc/hosts"
}

mount_what_is_not_of_the_image() {
    local each
    for each in full null random urandom zero; do
        touch "$root/dev/$each"
        allowed mount --bind "/dev/$each" "$root/dev/$each"
    done
    ln -s /proc/self/fd "$root/dev/fd"
    allowed mount -t proc proc "$root/proc"
    allowed mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmp "$root/tmp"
    allowed mount --bind "$volume" "$root/var/lib/talos"
    allowed mount -o remount,bind,ro "$root"
}

# Plugs one end of the cable in, in a network that has no addresses of the other kind.
plug() {
    local end=$1 own=$2
    shift 2
    allowed "$@" ip link set lo up
    if [[ $own == *:* ]]; then
        allowed "$@" ip -4 address flush dev lo
        allowed "$@" ip link set "$end" addrgenmode none
        allowed "$@" ip address add "$own" dev "$end" nodad
    else
        allowed "$@" ip address add "$own" dev "$end"
    fi
    allowed "$@" ip link set "$end" up
}

case $network in
    ipv4) bridge=172.17.0.1/16 address=172.17.0.2/16 ;;
    ipv6) bridge=fd00::1/64 address=fd00::2/64 ;;
esac
make_image
mount_what_is_not_of_the_image
touch "$cable"
allowed unshare --net="$cable" true
allowed nsenter --net="$cable" ip link add eth0 type veth peer name bridge0 netns $$
plug bridge0 "$bridge"
plug eth0 "$address" nsenter --net="$cable"

# Where only one user is known to the kernel, as that of a build who is not root, it is called 12345 within.
read -r _ _ users < /proc/self/uid_map
if [ "$users" -gt 12345 ]; then
    chown 12345:12345 "$volume"
    user=(unshare --root="$root" --wd=/var/lib/talos setpriv --reuid 12345 --regid 12345 --clear-groups
        --inh-caps=-all --bounding-set=-all --no-new-privs)
else
    user=(unshare --user --map-user=12345 --map-group=12345 --root="$root" --wd=/var/lib/talos setpriv --no-new-privs)
fi
allowed "${user[@]}" true
user+=(env -i "PATH=/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    JAVA_HOME=/opt/java/openjdk LC_ALL=C "${image_environment[@]}")

# container [NAME=VALUE…] COMMAND…: runs it in the container, as `docker exec` does.
container() {
    nsenter --net="$cable" "${user[@]}" "$@"
}

# neighbor [NAME=VALUE…] COMMAND…: runs it in another container, at the bridge's end of the cable.
neighbor() {
    "${user[@]}" "$@"
}

# start [NAME=VALUE…]: starts what the image starts, as process 1.
start() {
    nsenter --net="$cable" unshare --pid --fork --kill-child --mount-proc="$root/proc" "${user[@]}" "$@" \
        "${image_command[@]}" > "$folder/server.log" 2>&1 &
    server_process=$!
}

# serve [NAME=VALUE…]: the same, and waits until the container is healthy.
serve() {
    local since=$SECONDS
    start "$@"
    until container "${image_health[@]}" 2> /dev/null; do
        kill -0 "$server_process" 2> /dev/null || { ended && exit 1; }
        [ $((SECONDS - since)) -lt 60 ] || { echo 'the container is not healthy after 60 s' && exit 1; }
        sleep 0.1
    done
}

# Waits for the server's end, and says how it was.
ended() {
    local code=0
    wait "$server_process" || code=$?
    echo "the server has ended with $code"
}

# Stops the server as `docker stop` does.
stop() {
    kill -TERM $(< "/proc/$server_process/task/$server_process/children")
    ended
}

trap '[ $? = 0 ] || [ ! -e "$folder/server.log" ] || cat "$folder/server.log"' EXIT
. "$folder/script.sh"
