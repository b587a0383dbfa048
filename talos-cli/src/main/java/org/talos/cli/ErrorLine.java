// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Reports a failure on standard error: one line for people, or one JSON object for programs. Immutable. */
final class ErrorLine implements IExecutionExceptionHandler, IParameterExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        Optional<Output> output = command.getMixins().values().stream()
                .map(each -> each instanceof Connection connection ? connection.output() : each)
                .filter(Output.class::isInstance)
                .map(Output.class::cast)
                .findAny();
        int exitCode = exitCode(e);
        PrintWriter err = command.getErr();
        if (output.map(Output::json).orElse(false)) {
            err.println(document(message(e), e instanceof TalosClientException ? e : e.getCause(), exitCode));
        } else {
            err.println("talos: " + sentence(e));
            if (exitCode == ExitCodes.USAGE) {
                err.println(advice(command));
            }
        }
        if (output.map(Output::verbose).orElse(false)) {
            printTrace(e, err);
        }
        err.flush();
        return exitCode;
    }

    private static int exitCode(Exception e) {
        if (e instanceof TalosClientException failure) {
            return ExitCodes.of(failure);
        }
        return e instanceof CommandException failure ? failure.exitCode() : ExitCodes.FAILED;
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
            return failure.getMessage() + (failure.outcome() == Outcome.UNKNOWN ? " (it may have happened)" : "");
        }
        return message(e);
    }

    private static String message(Exception e) {
        return e instanceof CommandException || e instanceof TalosClientException
                ? String.valueOf(e.getMessage())
                : e.toString();
    }

    private static String document(String message, @Nullable Throwable cause, int exitCode) {
        Optional<TalosClientException> call =
                cause instanceof TalosClientException failure ? Optional.of(failure) : Optional.empty();
        return Json.line(new Problem(
                message,
                call.map(TalosClientException::code),
                call.map(each -> each.outcome() == Outcome.UNKNOWN ? "unknown" : "did-not-happen"),
                call.map(TalosClientException::retriable),
                exitCode));
    }

    /** The JSON object of a failure; that of a call has code and outcome. */
    private record Problem(
            String message,
            Optional<String> code,
            Optional<String> outcome,
            Optional<Boolean> retryable,
            int exitCode) {}

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        if (Output.wantsJson(arguments)) {
            err.println(document(String.valueOf(e.getMessage()), null, ExitCodes.USAGE));
        } else {
            err.println("talos: " + e.getMessage());
            err.println(advice(command));
        }
        err.flush();
        return ExitCodes.USAGE;
    }

    private static String advice(CommandLine command) {
        return "Try '" + command.getCommandSpec().qualifiedName() + " --help'.";
    }
}
