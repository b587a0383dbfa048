// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.IntConsumer;
import org.talos.cli.Surroundings;

/**
 * A bar that grows on a terminal, and nothing at all anywhere else.
 *
 * <p>Thread-safe.
 */
final class Progress implements IntConsumer {
    private static final int WIDTH = 40;

    private final Surroundings surroundings;
    private final String name;
    private final long whole;

    @GuardedBy("this")
    private long done;

    @GuardedBy("this")
    private long drawn = -1;

    Progress(Surroundings surroundings, String name, long whole) {
        this.surroundings = surroundings;
        this.name = name;
        this.whole = Math.max(1, whole);
    }

    @Override
    public synchronized void accept(int more) {
        done += more;
        long filled = Math.min(WIDTH, done * WIDTH / whole);
        if (surroundings.terminal() && filled != drawn) {
            drawn = filled;
            draw("\r%-4s [%-40s]".formatted(name, "#".repeat((int) filled)));
        }
    }

    /** Takes the bar away. */
    synchronized void end() {
        if (surroundings.terminal()) {
            draw("\r" + " ".repeat(WIDTH + 8) + "\r");
        }
    }

    private void draw(String text) {
        try {
            surroundings.print(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
