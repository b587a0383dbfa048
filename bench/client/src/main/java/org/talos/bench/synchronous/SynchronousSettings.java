// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One load. Immutable.
 *
 * @param server host and port, or URL
 * @param serverPid its process, whose processor time is read
 * @param folder for what a library writes, logs for instance; an absolute path
 * @param partitions of the topic
 * @param putters threads that put, each to a partition of its own, from the first on
 * @param getters threads that get, each from a partition that is put to, from the first on
 * @param size bytes of a message, {@link #LEAST_SIZE} or more
 * @param perSecond puts of all threads together, due at fixed times; 0 for the next as soon as the last was
 *     acknowledged, as in the warm-up
 * @param measured how long, after the warm-up
 */
public record SynchronousSettings(
        String server,
        long serverPid,
        String folder,
        int partitions,
        int putters,
        int getters,
        int size,
        double perSecond,
        Duration measured) {
    /** The number of arguments that these settings are for a process. */
    public static final int ARGUMENTS = 9;

    /** A message has its number and its time. */
    public static final int LEAST_SIZE = 2 * Long.BYTES;

    /** The topic. */
    public static final String TOPIC = "peers";

    /** Refuses threads without a partition of their own. */
    public SynchronousSettings {
        if (putters < 1 || putters > partitions || getters < 0 || getters > putters || size < LEAST_SIZE) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%d putters, %d getters, %d partitions, messages of %d bytes",
                    putters,
                    getters,
                    partitions,
                    size));
        }
    }

    /** The settings of a process that was started with {@link #arguments}. */
    public static SynchronousSettings of(List<String> arguments) {
        return new SynchronousSettings(
                arguments.get(0),
                Long.parseLong(arguments.get(1)),
                arguments.get(2),
                Integer.parseInt(arguments.get(3)),
                Integer.parseInt(arguments.get(4)),
                Integer.parseInt(arguments.get(5)),
                Integer.parseInt(arguments.get(6)),
                Double.parseDouble(arguments.get(7)),
                Duration.parse(arguments.get(8)));
    }

    /** For the command line of a process. */
    public List<String> arguments() {
        return List.of(
                server,
                Long.toString(serverPid),
                folder,
                Integer.toString(partitions),
                Integer.toString(putters),
                Integer.toString(getters),
                Integer.toString(size),
                Double.toString(perSecond),
                measured.toString());
    }
}
