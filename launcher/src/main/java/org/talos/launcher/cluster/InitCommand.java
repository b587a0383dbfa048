// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.metadata.MetadataException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Creates the nodes, tables, and directories that a cluster's servers need.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "init",
        description =
                "Make the directory in HDFS and the table in HBase that a configuration names, or check those that "
                        + "are there. Once for all servers; may be repeated.",
        mixinStandardHelpOptions = true)
public final class InitCommand implements Callable<Integer> {
    private final CommandContext context;

    @Mixin
    private Settings settings = new Settings();

    @Mixin
    private Output output = new Output();

    /** Creates the command. */
    public InitCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        List<String> done;
        try {
            done = ClusterSetUp.prepare(settings.read(context));
        } catch (IOException | MetadataException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        done.forEach(document.putArray("done")::add);
        output.print(context, document, done);
        return 0;
    }
}
