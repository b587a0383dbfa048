// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.util.Locale;

/** The cases of the floor benchmark. */
enum FloorCase {
    /** Jetty alone: reads a body, answers as many bytes as the server would, checks and keeps nothing. */
    BARE,
    /** Jetty alone, which also verifies signature and MD5: the ceiling of every server of this protocol. */
    SIGNED,
    /** The server, durability flush. */
    FLUSH,
    /** The server, durability fsync. */
    FSYNC,
    /** The server, durability flush, raw puts and gets of base64 over REST under key and secret: no MD5, no Thrift. */
    REST;

    /** Of the server's log. */
    String durability() {
        return this == FSYNC ? "fsync" : "flush";
    }

    /** Returns whether there is a log. */
    boolean stores() {
        return this != BARE && this != SIGNED;
    }

    /** As it is written in settings and tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
