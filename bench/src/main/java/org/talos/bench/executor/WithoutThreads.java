// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.talos.bench.report.Text.format;

import org.talos.server.runtime.thread.VirtualThreads;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Measures whether workers can do without threads of the kernel. Immutable. */
final class WithoutThreads {
    private WithoutThreads() {}

    /** Refuses it on a JDK that is too old, before anything is measured. */
    static void check(boolean wanted, CommandSpec spec) {
        if (wanted && !VirtualThreads.areThere()) {
            throw new ParameterException(
                    spec.commandLine(),
                    format(
                            "--virtual: JDK %d (expected: %d or newer)",
                            Runtime.version().feature(), VirtualThreads.FIRST_JDK));
        }
    }
}
