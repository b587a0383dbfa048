// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How long the compilers of another JVM of this user have worked, by the performance counters that every HotSpot keeps
 * in a file for {@code jstat}: reading them costs that JVM nothing, and starts no process beside it.
 *
 * <p>Immutable.
 */
final class CompileTime {
    private static final String COMPILED = "java.ci.totalTime"; // in ticks
    private static final String TICKS_PER_SECOND = "sun.os.hrt.frequency";

    // The file's head, then entries of the same length or another, each with a head, a name and a value.
    private static final int MAGIC = 0xcafec0c0;
    private static final int BYTE_ORDER_AT = 4;
    private static final int FIRST_ENTRY_AT = 24;
    private static final int ENTRIES_AT = 28;
    private static final int NAME_AT = 4;
    private static final int ELEMENTS_AT = 8; // of an array; 0 for one value
    private static final int TYPE_AT = 12;
    private static final int VALUE_AT = 16;

    private final List<Path> files;

    private CompileTime(List<Path> files) {
        this.files = files;
    }

    /** The compilers of a process. */
    static CompileTime of(long pid) {
        String name = "hsperfdata_" + System.getProperty("user.name") + "/" + pid;
        return new CompileTime(List.of(Path.of("/tmp", name), Path.of(System.getProperty("java.io.tmpdir"), name)));
    }

    /** Seconds since the JVM started, counted when a compilation ends; empty where there are no counters. */
    OptionalDouble seconds() {
        for (Path file : files) {
            if (Files.isReadable(file)) {
                return seconds(file);
            }
        }
        return OptionalDouble.empty();
    }

    private static OptionalDouble seconds(Path file) {
        try {
            Map<String, Long> counters = counters(ByteBuffer.wrap(Files.readAllBytes(file)));
            Long compiled = counters.get(COMPILED);
            Long frequency = counters.get(TICKS_PER_SECOND);
            return compiled == null || frequency == null
                    ? OptionalDouble.empty()
                    : OptionalDouble.of((double) compiled / frequency);
        } catch (IOException | BufferUnderflowException | IndexOutOfBoundsException e) {
            return OptionalDouble.empty(); // the process has just ended
        }
    }

    /** The counters that are one number. */
    private static Map<String, Long> counters(ByteBuffer file) {
        Map<String, Long> counters = new HashMap<>();
        if (file.getInt(0) != MAGIC) {
            return counters;
        }
        file.order(file.get(BYTE_ORDER_AT) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        int at = file.getInt(FIRST_ENTRY_AT);
        for (int left = file.getInt(ENTRIES_AT); left > 0; left--) {
            if (file.get(at + TYPE_AT) == 'J' && file.getInt(at + ELEMENTS_AT) == 0) {
                counters.put(name(file, at + file.getInt(at + NAME_AT)), file.getLong(at + file.getInt(at + VALUE_AT)));
            }
            at += file.getInt(at);
        }
        return counters;
    }

    private static String name(ByteBuffer file, int from) {
        int end = from;
        while (file.get(end) != 0) {
            end++;
        }
        return new String(file.array(), from, end - from, StandardCharsets.US_ASCII);
    }
}
