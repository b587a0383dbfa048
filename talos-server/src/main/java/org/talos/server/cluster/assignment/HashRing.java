// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Consistent hashing: each server has {@value #POINTS} points on a ring. Immutable. */
final class HashRing {
    private static final int POINTS = 64;

    private final NavigableMap<Long, String> ring = new TreeMap<>();

    HashRing(Collection<String> servers) {
        for (String server : servers) {
            for (int point = 0; point < POINTS; point++) {
                ring.put(hash(server + "#" + point), server);
            }
        }
    }

    /** The first server from the key's point on that fits; empty if none does. */
    String next(String key, Predicate<String> fits) {
        long start = hash(key);
        for (NavigableMap<Long, String> part : List.of(ring.tailMap(start, true), ring.headMap(start, false))) {
            for (String server : part.values()) {
                if (fits.test(server)) {
                    return server;
                }
            }
        }
        return "";
    }

    /** FNV-1a with MurmurHash3's finalizer: ids that differ in one digit hash far apart. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int at = 0; at < text.length(); at++) { // ids are ASCII: a char is a byte
            hash = (hash ^ (text.charAt(at) & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
