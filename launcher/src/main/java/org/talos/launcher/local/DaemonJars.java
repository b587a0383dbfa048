// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.nio.file.Files;
import java.nio.file.Path;
import org.talos.cli.CommandException;

/** Where the jars of the development cluster's daemons are. Immutable. */
public final class DaemonJars {
    private DaemonJars() {}

    /**
     * Their folder: in the source tree, the target folder of the module that collects them; in an unpacked archive, the
     * one from talos-tools.
     *
     * @param home the project's directory
     */
    public static Path of(Path home) throws CommandException {
        Path unpacked = home.resolve("lib");
        if (!Files.isDirectory(unpacked)) {
            return home.resolve("devcluster").resolve("daemons").resolve("target");
        }
        Path daemons = unpacked.resolve("daemons");
        if (!Files.isDirectory(daemons)) {
            throw new CommandException(
                    "the daemons of the development cluster are not here: unpack talos-tools over " + home);
        }
        return daemons;
    }
}
