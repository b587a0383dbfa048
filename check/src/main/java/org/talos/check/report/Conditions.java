// SPDX-License-Identifier: Apache-2.0
package org.talos.check.report;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** The settings, program version and machine of a run: the content of {@link RunFolder#SETTINGS}. Immutable. */
final class Conditions {
    private Conditions() {}

    /** The settings of the run, then the program and the machine, a line each. */
    static List<String> described(SortedMap<String, String> settings, Path home) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            lines.add(line(setting.getKey(), setting.getValue()));
        }
        lines.add(line("commit", commit(home)));
        lines.add(line("java", Runtime.version() + " " + System.getProperty("java.vm.name")));
        lines.add(line(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch")));
        lines.add(line("processors", Integer.toString(Runtime.getRuntime().availableProcessors())));
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.endsWith(".jar"))
                .map(path -> line("library", String.valueOf(Path.of(path).getFileName())))
                .distinct()
                .sorted()
                .forEach(lines::add);
        return lines;
    }

    private static String line(String name, String value) {
        return String.format(Locale.ROOT, "%-20s %s", name, value);
    }

    /** The commit of the sources; a copy without git has none. */
    private static String commit(Path home) {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=40")
                    .directory(home.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader out = git.inputReader(StandardCharsets.UTF_8)) {
                return Optional.ofNullable(out.readLine()).orElse("unknown");
            }
        } catch (IOException e) {
            return "unknown";
        }
    }
}
