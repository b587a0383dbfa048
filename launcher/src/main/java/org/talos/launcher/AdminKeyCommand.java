// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.cli.PrivateFile;
import org.talos.common.error.TalosException;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.LogOutput;
import org.talos.server.boot.recovery.AdministratorKey;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Replaces an administrator's lost key, on the server's machine.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "admin-key",
        description = "Give an administrator a new key when the old one is lost. Run it as the server's user, where "
                + "the data directory is, and stop the server first (with metadata in HBase, servers may run). The old "
                + "key ends; the log says which key was replaced.",
        mixinStandardHelpOptions = true)
final class AdminKeyCommand implements Callable<Integer> {
    private static final String DATA_DIRECTORY = "TALOS_DATADIRECTORY";

    private final CommandContext context;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The server's configuration. Default: that of conf/talos.yaml")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The data directory. Default: that of a server here (TALOS_DATADIRECTORY, data/)")
    private Optional<Path> data = Optional.empty();

    @Option(names = "--user", paramLabel = "USER", description = "An administrator. Default: admin, or the only one")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Write the key to this new file, mode 600. Default: admin.credentials of the data directory, "
                    + "which is replaced")
    private Optional<Path> out = Optional.empty();

    @Mixin
    private Output output = new Output();

    AdminKeyCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws CommandException {
        ServerConfig settings = settings();
        Path file = out.orElse(
                Path.of(settings.dataDirectory()).toAbsolutePath().resolve(UserAdmin.FIRST_CREDENTIALS_FILE));
        if (out.isPresent()) {
            PrivateFile.create(file); // before there is a key that could get lost
        }
        UserAdmin.Added added = replaced(settings);
        String name = added.user().userId();
        keep(file, name, added);
        ObjectNode document = JsonNodeFactory.instance
                .objectNode()
                .put("done", "replaced")
                .put("user", name)
                .put("accessKey", added.credential().keyId())
                .put("file", file.toString());
        output.printDone(
                context,
                document,
                "the key of " + name + " is replaced; the new one is in " + file + ", which nobody else may read");
        return 0;
    }

    private UserAdmin.Added replaced(ServerConfig settings) throws CommandException {
        try {
            LogOutput.check(); // the replacement must leave a trace
            return AdministratorKey.replace(settings, user);
        } catch (IOException | TalosException e) {
            throw failure(String.valueOf(e.getMessage()), e);
        } catch (MetadataException e) {
            boolean isUsed = String.valueOf(e.getMessage()).contains("is in use by another server");
            throw failure(e.getMessage() + (isUsed ? ": stop the server first" : ""), e);
        }
    }

    private CommandException failure(String sentence, Exception cause) {
        try {
            if (out.isPresent()) {
                Files.deleteIfExists(out.get()); // empty
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new CommandException(sentence, cause);
    }

    private static void keep(Path file, String name, UserAdmin.Added added) throws CommandException {
        try {
            PrivateFile.write(
                    file,
                    List.of(
                            "# user " + name + ": keep this; the secret is not shown again",
                            "accessKey=" + added.credential().keyId(),
                            "secretKey=" + added.credential().secret()));
        } catch (CommandException e) {
            throw CommandException.done(
                    "the key of " + name + " is replaced, but the new one is lost: " + e.getMessage()
                            + "; run this again",
                    e);
        }
    }

    private ServerConfig settings() throws CommandException {
        Map<String, String> environment = new HashMap<>(context.environment());
        data.ifPresent(directory -> environment.put(DATA_DIRECTORY, directory.toString()));
        try {
            if (config.isPresent()) {
                return ConfigLoader.load(config.get(), environment);
            }
            environment.putIfAbsent(DATA_DIRECTORY, context.dataDirectory().toString());
            return ConfigLoader.load(environment);
        } catch (ConfigException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }
}
