// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pins the server to one processor and the load to the others, where there is taskset: the capacity of a server cannot
 * be measured while the load takes a part of its processors.
 *
 * <p>Immutable.
 *
 * @param possible whether it can be done here
 */
record Pinning(boolean possible) {
    /** The part of a processor that a process gets if it never leaves the processor idle. */
    static final double UTILISATION = 0.98;

    private static final int LAST = Runtime.getRuntime().availableProcessors() - 1; // before anything is pinned

    static Pinning ofMachine() {
        return new Pinning(LAST > 0 && taskset("--version"));
    }

    private static boolean taskset(String... arguments) {
        try {
            List<String> command = new ArrayList<>(List.of("taskset"));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // no taskset on this machine: settings.txt says so
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns the part of the command line before the server's command. */
    List<String> before() {
        return possible ? List.of("taskset", "-c", "0") : List.of();
    }

    /** Moves this process to the other processors. */
    void pinLoad() throws IOException {
        move("1-" + LAST);
    }

    /** Gives this process all processors back. */
    void release() throws IOException {
        move("0-" + LAST);
    }

    private void move(String processors) throws IOException {
        String self = Long.toString(ProcessHandle.current().pid());
        if (possible && !taskset("-a", "-p", "-c", processors, self)) {
            throw new IOException("taskset cannot move this process to processors " + processors);
        }
    }

    int serverProcessors() {
        return possible ? 1 : LAST + 1;
    }

    String describe() {
        return possible ? "1 for the server, the others for the load (taskset)" : "shared by server and load";
    }
}
