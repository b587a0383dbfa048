// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prepares commands so that all of {@code talos} parse options and report failures in one way. No other class makes a
 * command line: picocli would replace an argument {@code @file} by the words of that file.
 *
 * <p>Immutable.
 */
public final class Commands {
    private static final String UNNAMED = CommandSpec.create().name();

    private Commands() {}

    /** Returns a command line of an annotated command. */
    public static CommandLine prepared(Object command) {
        return prepared(new CommandLine(command));
    }

    /**
     * Returns a command line of a command whose subcommands are methods that its annotation does not add: with the
     * named one, or with all of them if none has the name. To read the annotations of all takes longer than most of
     * them run.
     */
    public static CommandLine prepared(Object command, String subcommand) {
        CommandLine line = new CommandLine(command);
        Arrays.stream(command.getClass().getDeclaredMethods())
                .filter(method -> isNamed(method, subcommand))
                .findAny()
                .ifPresentOrElse(
                        method -> line.addSubcommand(subcommand, new CommandLine(method)),
                        () -> line.getCommandSpec().addMethodSubcommands());
        return prepared(line);
    }

    /** Standard error as commands write it. */
    static PrintWriter standardError() {
        return new CommandLine(CommandSpec.create()).getErr();
    }

    /**
     * Runs a command line. Help that cannot be written is a failure, with a line on standard error.
     *
     * @param line made with this context
     * @return the exit code
     */
    public static int execute(CommandContext context, CommandLine line, String... arguments) {
        HelpOutput help = new HelpOutput(context.out());
        int code = line.setOut(help.printer()).execute(arguments);
        Optional<IOException> failure = help.failure();
        if (failure.isEmpty() || code != ExitCodes.DONE) { // a command reports its failed writes itself
            return code;
        }
        int failed = ExitCodes.of(failure.get());
        if (failed != ExitCodes.READER_GONE) {
            line.getErr()
                    .println("talos: standard output cannot be written: "
                            + failure.get().getMessage());
            line.getErr().flush();
        }
        return failed;
    }

    private static boolean isNamed(Method method, String subcommand) {
        Command command = method.getAnnotation(Command.class);
        return command != null && subcommand.equals(command.name().equals(UNNAMED) ? method.getName() : command.name());
    }

    private static CommandLine prepared(CommandLine line) {
        ErrorLine errors = new ErrorLine();
        return line.setExpandAtFiles(false) // messages and keys may begin with an at sign
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(errors)
                .setParameterExceptionHandler(errors);
    }
}
