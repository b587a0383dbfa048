// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.talos.cli.CommandContext;
import org.talos.launcher.Main;
import picocli.CommandLine;

/** One command of {@code bin/talos}, run in this JVM. Immutable. */
public record BenchRun(int code, String output) {
    /** Runs it in a project's directory of the test's own. */
    public static BenchRun of(Path home, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter errors = new StringWriter();
        CommandLine command =
                Main.commandLine(new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false));
        command.setErr(new PrintWriter(errors));
        int code = command.execute(arguments);
        return new BenchRun(code, out.toString(StandardCharsets.UTF_8) + errors);
    }
}
