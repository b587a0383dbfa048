// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import java.nio.file.Path;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import picocli.CommandLine.Option;

/**
 * The option that names a server's configuration.
 *
 * <p>Confined: the main thread.
 */
final class Settings {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            required = true,
            description = "The servers' configuration; the environment goes over it")
    private Path file = Path.of("");

    ServerConfig read(CommandContext context) throws CommandException {
        try {
            return ConfigLoader.load(file, context.environment());
        } catch (ConfigException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }
}
