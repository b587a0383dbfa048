// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.message.InputLines;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The consent to a deletion: the option, else the name typed on a terminal.
 *
 * <p>Confined: the main thread.
 */
final class Confirmation {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = {"-y", "--yes"},
            description = "Delete without asking; needed where no terminal can be asked")
    private boolean yes;

    /** Returns whether the option confirms the deletion. */
    boolean isGiven() {
        return yes;
    }

    /**
     * Returns if the user confirms the deletion. Waits for input.
     *
     * @param name of the object to delete
     * @param what the object to delete, in words
     */
    void require(CommandContext context, String name, String what) throws CommandException, IOException {
        if (yes) {
            return;
        }
        if (!context.interactive()) {
            throw CommandException.usage("this deletes " + what + ": without a terminal to ask, give --yes");
        }
        PrintWriter err = command.commandLine().getErr();
        err.print("This deletes " + what + ". To continue, type " + name + ": ");
        err.flush();
        byte[] typed = new InputLines(context.in()).next();
        if (typed == null || !new String(typed, StandardCharsets.UTF_8).strip().equals(name)) {
            throw new CommandException("not confirmed: nothing is deleted");
        }
    }
}
