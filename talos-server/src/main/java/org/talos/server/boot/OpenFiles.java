// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * How many files this process has open, and may have: sockets and segments count, and the libraries that it is made of.
 * Immutable.
 */
public final class OpenFiles {
    /** The advice that says how to raise the bound. */
    static final String TO_DO = "start the server after `ulimit -n 65536`, or with LimitNOFILE=65536 in its unit"
            + " (docs/operations.md, 'Too many open files')";

    /** A server without a connection has some 300 open. */
    private static final long LEAST = 1024;
    /** The number of free files below which the next connection or segment fails. */
    private static final long LAST = 16;

    private OpenFiles() {}

    /** Returns the failure, if hardly any file can be opened any more. */
    static Optional<String> failure() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return Optional.empty();
        }
        long most = system.getMaxFileDescriptorCount();
        return failure(open(system, most), most);
    }

    private static long open(UnixOperatingSystemMXBean system, long most) {
        try {
            long open = system.getOpenFileDescriptorCount();
            return open < 0 ? most : open;
        } catch (InternalError e) { // counting them opens a directory
            return most;
        }
    }

    static Optional<String> failure(long open, long most) {
        return most - open < LAST
                ? Optional.of("too many open files: " + open + " of " + most + " are open; " + TO_DO)
                : Optional.empty();
    }

    /** Returns the warning of a bound that is too low. */
    static Optional<String> warning() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? warning(system.getMaxFileDescriptorCount())
                : Optional.empty();
    }

    /** Returns the warning, if more connections are allowed than files may be open. */
    static Optional<String> shortage(int connections) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? shortage(system.getMaxFileDescriptorCount(), connections)
                : Optional.empty();
    }

    static Optional<String> shortage(long most, int connections) {
        long needed = connections + LEAST;
        return most < needed
                ? Optional.of("http.maxConnections allows " + connections + " connections, and only " + most
                        + " files may be open at once: start the server after `ulimit -n " + needed
                        + "`, or with LimitNOFILE=" + needed + " in its unit, or lower http.maxConnections")
                : Optional.empty();
    }

    static Optional<String> warning(long most) {
        return most < LEAST
                ? Optional.of("only " + most + " files may be open at once (expected: " + LEAST + " or more): " + TO_DO)
                : Optional.empty();
    }
}
