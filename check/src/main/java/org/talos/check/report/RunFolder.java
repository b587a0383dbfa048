// SPDX-License-Identifier: Apache-2.0
package org.talos.check.report;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SortedMap;

/** The report folder of one run. Immutable. */
public final class RunFolder {
    /** The file in it that says what was run, with which settings and on what. */
    public static final String SETTINGS = "settings.txt";

    private RunFolder() {}

    /**
     * Creates the folder reports/experiment-time where the tools {@link #work} and writes settings.txt into it.
     *
     * @param home the project's directory
     * @param experiment name of the command, a word
     * @param settings the run's settings, by name
     */
    public static Path begin(Path home, String experiment, SortedMap<String, String> settings) throws IOException {
        Path reports = Files.createDirectories(work(home).resolve("reports"));
        String time =
                DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).format(LocalDateTime.now(ZoneOffset.UTC));
        Path folder = created(reports, experiment + "-" + time, 1);
        Files.write(folder.resolve(SETTINGS), Conditions.described(settings, home));
        return folder;
    }

    /**
     * The folder in which the tools keep reports and temporary files: bench/target, or bench in an unpacked archive.
     */
    public static Path work(Path home) {
        return home.resolve(Files.isDirectory(home.resolve("lib")) ? "bench" : "bench/target");
    }

    /** A run that begins within the same second as another has a folder of its own. */
    private static Path created(Path reports, String name, int number) throws IOException {
        try {
            return Files.createDirectory(reports.resolve(number == 1 ? name : name + "-" + number));
        } catch (FileAlreadyExistsException e) {
            return created(reports, name, number + 1);
        }
    }
}
