// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The degrees to which this machine allows an isolated network: a namespace, which ends with its last process, and in
 * it the kernel's netem.
 */
enum Network {
    /** A namespace, delayed by the kernel. */
    NETEM("ip link set lo up && tc qdisc add dev lo root netem delay 1ms && tc qdisc del dev lo root"),
    /** A namespace, delayed by a relay, for the kernel has no netem. */
    NAMESPACE("ip link set lo up"),
    /** The machine's own network, delayed by a relay. */
    SHARED("");

    private static final long PROBE_SECONDS = 10;
    private static final String WITH_TOOLS = "PATH=$PATH:/usr/sbin:/sbin; ";

    private final String setUp;

    Network(String setUp) {
        this.setUp = setUp;
    }

    /** The best kind that is possible here. */
    static Network best() {
        for (Network each : values()) {
            if (each == SHARED || succeeds(each.around(List.of("true")))) {
                return each;
            }
        }
        throw new IllegalStateException("the shared network is always there");
    }

    /** The command that runs another one in this network, in the same process. */
    List<String> around(List<String> command) {
        if (this == SHARED) {
            return command;
        }
        List<String> whole = new ArrayList<>(List.of("unshare", "--map-root-user", "--net", "sh", "-c"));
        whole.add(WITH_TOOLS + setUp + " && exec \"$@\"");
        whole.add("sh");
        whole.addAll(command);
        return whole;
    }

    /** Returns how it delays, for a person. */
    String described() {
        String relay =
                "relay of bytes, which keeps 64 MiB on their way on each connection, so that unlike on a long line "
                        + "no window bounds a stream; ";
        return switch (this) {
            case NETEM -> "netem on lo, in a network namespace of its own";
            case NAMESPACE -> relay + "in a network namespace of its own, whose kernel has no netem";
            case SHARED -> relay + "in the machine's network, for no namespace could be had";
        };
    }

    private static boolean succeeds(List<String> command) {
        try {
            Process probe = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return probe.waitFor(PROBE_SECONDS, TimeUnit.SECONDS) && probe.exitValue() == 0;
            } finally {
                probe.destroyForcibly();
            }
        } catch (IOException e) {
            return false; // no such tool on this machine
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
