// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.WarmUp;

/**
 * A warm-up that ends when the server's compilers have had little to do for some seconds, or after a longest time.
 *
 * <p>Thread-safe.
 */
public final class QuietCompiler implements WarmUp {
    /** Of a processor. */
    public static final double LITTLE = 0.05;

    /** The number of consecutive seconds. */
    public static final int SECONDS = 3;

    private static final double NANOS = 1e9;

    private final Supplier<OptionalDouble> compiled;
    private final long longestNanos;
    private OptionalDouble last = OptionalDouble.empty();
    private long lastNanos;
    private int quiet;
    private boolean over;

    /**
     * A warm-up that has not begun.
     *
     * @param compiled processor seconds of the compilers; empty where that is not known
     */
    public QuietCompiler(Supplier<OptionalDouble> compiled, Duration longest) {
        this.compiled = compiled;
        longestNanos = longest.toNanos();
    }

    /** A warm-up of one server. */
    public static QuietCompiler of(MeasuredServer server, Duration longest) {
        return new QuietCompiler(CompileTime.of(server.pid())::seconds, longest);
    }

    @Override
    public synchronized boolean isOver(long nanos) {
        if (!over && nanos - lastNanos >= NANOS) {
            OptionalDouble now = compiled.get();
            boolean little = last.isPresent()
                    && now.isPresent()
                    && now.getAsDouble() - last.getAsDouble() < LITTLE * (nanos - lastNanos) / NANOS;
            quiet = little ? quiet + 1 : 0;
            last = now;
            lastNanos = nanos;
        }
        over |= quiet >= SECONDS || nanos >= longestNanos;
        return over;
    }
}
