// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.talos.bench.report.Text.format;

import java.util.Locale;

/**
 * A limit of this machine for something that connections need. Immutable.
 *
 * @param name of it, with who it holds for
 * @param found how much there is
 * @param reserved how much of it all else needs
 * @param each how much a connection needs
 * @param command raises it; {@code %d} stands for what is needed
 */
record MachineLimit(String name, long found, long reserved, double each, String command) {
    boolean allows(int connections) {
        return needed(connections) <= found;
    }

    long needed(int connections) {
        return reserved + (long) Math.ceil(each * connections);
    }

    /**
     * Returns how many connections it allows. A limit on something that no connection uses up allows any number, or
     * none.
     */
    long connections() {
        if (each == 0) {
            return found >= reserved ? Integer.MAX_VALUE : 0;
        }
        return Math.max(0, (long) ((found - reserved) / each));
    }

    /** Why it does not allow so many, and what raises it. */
    String sentence(int connections) {
        long needed = needed(connections);
        return format(
                "%s: %d (needed: %d); raise it with: %s",
                name, found, needed, String.format(Locale.ROOT, command, needed));
    }
}
