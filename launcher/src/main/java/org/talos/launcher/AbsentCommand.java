// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import picocli.CommandLine.Command;

/**
 * Replaces {@code bench} where its jar is missing, and names the archive that has it.
 *
 * <p>Confined: the main thread.
 */
@Command(name = AbsentCommand.NAME, description = "Measure. Comes with the archive talos-tools.")
final class AbsentCommand implements Callable<Integer> {
    static final String NAME = "bench";

    private final CommandContext context;

    AbsentCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws CommandException {
        throw new CommandException("bench is not here: unpack talos-tools over " + context.home());
    }
}
