// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code bin/talos}, each command a process as a user's. */
final class TalosCommand {
    private static final String ROOT = System.getProperty("talos.root");

    private TalosCommand() {}

    /** The exit code and the output of a command. Immutable. */
    record Result(int code, String output) {
        /** The number in a column of a row in a table. */
        int number(String row, int column) {
            Matcher found = Pattern.compile("(?m)^" + row + " +(\\d+) +(\\d+) ").matcher(output);
            assertThat(found.find()).as(output).isTrue();
            return Integer.parseInt(found.group(column));
        }
    }

    static Process start(String... arguments) throws IOException {
        return start(line(), arguments);
    }

    /** Starts one that shows how far it is. */
    static Process startOnTerminal(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(line());
        command.add(1, "-Dtalos.watched=true");
        return start(command, arguments);
    }

    /** The class path is in the environment, so that a shell that it starts can start another one. */
    private static Process start(List<String> line, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(line);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return builder.start();
    }

    /** Returns the words before the arguments. */
    static List<String> line() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dtalos.home=" + ROOT,
                "org.talos.launcher.Main");
    }

    /** Runs it to its end. */
    static Result run(String... arguments) throws IOException, InterruptedException {
        return end(start(arguments));
    }

    /** Waits for its end. */
    static Result end(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
