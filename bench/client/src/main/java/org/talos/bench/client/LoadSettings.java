// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.util.List;

/**
 * The load of one case. Immutable.
 *
 * @param server host and port, or URL
 * @param serverPid its process, whose processor time is read
 * @param threads that send, and as many that read; at most as many as partitions
 * @param size bytes of a message, 8 or more
 * @param messages put and got to warm up, and once more measured
 */
public record LoadSettings(String server, long serverPid, int threads, int partitions, int size, long messages) {
    /** The number of arguments that these settings are for a process. */
    public static final int ARGUMENTS = 6;

    /** The topic. */
    public static final String TOPIC = "sdk";

    /** The group of the readers. */
    public static final String GROUP = "sdk-readers";

    /** The settings of a process that was started with {@link #arguments}. */
    public static LoadSettings of(List<String> arguments) {
        return new LoadSettings(
                arguments.get(0),
                Long.parseLong(arguments.get(1)),
                Integer.parseInt(arguments.get(2)),
                Integer.parseInt(arguments.get(3)),
                Integer.parseInt(arguments.get(4)),
                Long.parseLong(arguments.get(5)));
    }

    /** For the command line of a process. */
    public List<String> arguments() {
        return List.of(
                server,
                Long.toString(serverPid),
                Integer.toString(threads),
                Integer.toString(partitions),
                Integer.toString(size),
                Long.toString(messages));
    }
}
