// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import java.util.Optional;
import org.talos.client.TalosClientException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Reports a failure on standard error: a line for people, possibly with a next step, or one JSON object for programs.
 * Immutable.
 */
final class ErrorLine implements IExecutionExceptionHandler, IParameterExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        Optional<Output> output = command.getMixins().values().stream()
                .map(each -> each instanceof Connection connection ? connection.output() : each)
                .filter(Output.class::isInstance)
                .map(Output.class::cast)
                .findAny();
        int exitCode = ExitCodes.of(e);
        if (exitCode == ExitCodes.READER_GONE) {
            return exitCode;
        }
        PrintWriter err = command.getErr();
        if (output.map(Output::json).orElse(false)) {
            err.println(document(e, exitCode));
        } else {
            err.println("talos: " + sentence(e, exitCode));
            if (exitCode == ExitCodes.USAGE) {
                err.println(advice(command));
            }
            NextStep.after(e, exitCode).ifPresent(step -> err.println("Next: " + step + "."));
        }
        if (output.map(Output::verbose).orElse(false)) {
            printTrace(e, err);
        }
        err.flush();
        return exitCode;
    }

    private static void printTrace(Throwable failure, PrintWriter err) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            err.println(each);
            for (StackTraceElement frame : each.getStackTrace()) {
                err.println("    at " + frame);
            }
        }
    }

    private static String sentence(Exception e, int exitCode) {
        return message(e) + (exitCode == ExitCodes.UNKNOWN && progress(e).isEmpty() ? " (it may have happened)" : "");
    }

    private static Optional<Object> progress(Exception e) {
        return e instanceof CommandException failure ? failure.progress() : Optional.empty();
    }

    private static String message(Exception e) {
        if (e instanceof TalosClientException call) {
            return Wording.of(call);
        }
        if (e instanceof PipedOutput.OutputFailedException) {
            return "writing the output failed: " + e.getMessage();
        }
        return e instanceof CommandException ? String.valueOf(e.getMessage()) : e.toString();
    }

    private static String document(Exception e, int exitCode) {
        Throwable cause = e instanceof TalosClientException ? e : e.getCause();
        Optional<TalosClientException> call =
                cause instanceof TalosClientException failure ? Optional.of(failure) : Optional.empty();
        return Json.line(new Problem(
                message(e),
                call.map(TalosClientException::code),
                outcome(exitCode, call.isPresent()),
                call.map(each -> each.retriable() && progress(e).isEmpty()), // completed parts must not be repeated
                progress(e),
                exitCode));
    }

    private static Optional<String> outcome(int exitCode, boolean called) {
        return switch (exitCode) {
            case ExitCodes.UNKNOWN -> Optional.of("unknown");
            case ExitCodes.PARTLY -> Optional.of("partly");
            default -> called ? Optional.of("did-not-happen") : Optional.empty();
        };
    }

    /** The JSON object of a failure; that of a call has code and outcome. */
    private record Problem(
            String message,
            Optional<String> code,
            Optional<String> outcome,
            Optional<Boolean> retryable,
            Optional<Object> progress,
            int exitCode) {
        /** Returns the failure of a command whose arguments are wrong. */
        static Problem usage(String message) {
            return new Problem(
                    message, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), ExitCodes.USAGE);
        }
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        return usage(command.getErr(), UsageSentence.of(e), advice(command), arguments);
    }

    /** Reports wrong arguments on standard error, with the remedy, and returns the exit code. */
    static int usage(PrintWriter err, String sentence, String advice, String... arguments) {
        if (Output.wantsJson(arguments)) {
            err.println(Json.line(Problem.usage(sentence)));
        } else {
            err.println("talos: " + sentence);
            err.println(advice);
        }
        err.flush();
        return ExitCodes.USAGE;
    }

    private static String advice(CommandLine command) {
        return "Try '" + command.getCommandSpec().qualifiedName() + " --help'.";
    }
}
