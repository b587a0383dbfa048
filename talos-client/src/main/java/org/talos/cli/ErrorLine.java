// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import org.talos.client.TalosClientException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Tells the user of a failure in one line on standard error. Immutable. */
final class ErrorLine implements IExecutionExceptionHandler, IParameterExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        err.println("talos: " + sentence(e));
        if (command.getMixins().values().stream().anyMatch(each -> each instanceof Connection it && it.verbose())) {
            printTrace(e, err);
        }
        err.flush();
        return ExitCode.SOFTWARE;
    }

    private static void printTrace(Throwable failure, PrintWriter err) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            err.println(each);
            for (StackTraceElement frame : each.getStackTrace()) {
                err.println("    at " + frame);
            }
        }
    }

    private static String sentence(Exception e) {
        if (e instanceof TalosClientException failure) {
            return failure.getMessage()
                    + (failure.outcome() == TalosClientException.Outcome.UNKNOWN ? " (it may have happened)" : "");
        }
        return e instanceof CommandException ? String.valueOf(e.getMessage()) : e.toString();
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("talos: " + e.getMessage());
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return ExitCode.USAGE;
    }
}
